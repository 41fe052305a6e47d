import { createContext, Script } from "node:vm"

/** A megabyte, a tenth of it, and so on: a function that looks at no more than so much of a text grows below that. */
const [largest, ...smallerSizes] = [1_000_000, 100_000, 10_000, 1000] as const
/** More time than this for a megabyte, and it is not waited for: whatever is so slow has to look at less. */
const longestMs = 1500
/** Less time than this is no harm, and too little to tell how it grows; smaller texts need not be tried then. */
const harmlessMs = 40
/** The smaller text is read again and again until this much time went by: some machines count in steps of 4 ms. */
const baseMs = 5
const mostTimes = 400
/** Where it grows as the text does, nobody looks twice. */
const plain = 15
const mostRuns = 3

/**
 * How many times longer a function takes on a text ten times as long, up to a megabyte; infinite where it takes far too
 * long for that. In time of the processor and the least of some runs, because others on the machine make runs slower.
 */
export function growthOf(run: (text: string) => unknown, textOf: (size: number) => string): number {
  let text = textOf(largest)
  let took = boundedTime(run, text)
  let most = 1
  for (const size of smallerSizes) {
    if (took === undefined) return Number.POSITIVE_INFINITY
    if (took <= harmlessMs) return most
    const smaller = textOf(size)
    const compared = compare(run, { text, took, smaller })
    most = Math.max(most, compared.ratio)
    text = smaller
    took = compared.base
  }
  return most
}

/** How long the smaller text took, and how many times that the other; what seems too much is measured again, longer. */
function compare(
  run: (text: string) => unknown,
  { text, took, smaller }: { text: string; took: number; smaller: string },
): { base: number; ratio: number } {
  let least = took
  let base = meanTime(run, smaller, baseMs)
  for (let runs = 1; runs < mostRuns && least / base > plain; runs += 1) {
    least = Math.min(least, boundedTime(run, text) ?? least)
    if (least <= harmlessMs) return { base, ratio: 1 }
    base = meanTime(run, smaller, baseMs * 4 ** runs)
  }
  return { base, ratio: least / base }
}

function meanTime(run: (text: string) => unknown, text: string, forMs: number): number {
  let sum = 0
  let times = 0
  for (; sum < forMs && times < mostTimes; times += 1) sum += timeOf(() => run(text))
  return sum / times
}

/** Milliseconds of the processor. */
function timeOf(run: () => unknown): number {
  const began = process.threadCpuUsage()
  try {
    run()
  } catch (error) {
    if (isCutOff(error)) throw error
    // What is no file of the kind may be refused; that must be quick as well.
  }
  const { user, system } = process.threadCpuUsage(began)
  return (user + system) / 1000
}

const held: { run?: () => unknown } = {}
const context = createContext(held)
const script = new Script("run()")
/** What is cut off is cut off by the clock; on a busy machine that goes faster than the processor's time. */
const leave = 4

/** The same; undefined where it took too long, and was cut off where it went on. */
function boundedTime(run: (text: string) => unknown, text: string): number | undefined {
  held.run = () => run(text)
  try {
    const took = timeOf(() => script.runInContext(context, { timeout: longestMs * leave }))
    return took > longestMs ? undefined : took
  } catch {
    return undefined
  }
}

function isCutOff(error: unknown): boolean {
  return Object(error).code === "ERR_SCRIPT_EXECUTION_TIMEOUT"
}
