import { createContext, Script } from "node:vm"

/** The two texts that are compared. A megabyte shows the same and takes five times as long to try on all functions. */
const sizes = { small: 5_000, large: 50_000 }
/** Less time than this on the large text is no harm, and too little to tell how it grows. */
const harmlessMs = 15
/** The small text is read again and again until this much time went by. */
const baseMs = 5
/** More than this, and it is not waited for: it grows too fast, whatever the exact figure. */
const hopeless = 40
/** Where it grows as the text does, nobody looks twice. */
const plain = 15
const mostRuns = 3

/**
 * How many times longer a function takes on a text ten times as long. In time of the processor and the least of some
 * runs, because others on the machine make runs slower; a run that goes on for far too long is cut off.
 */
export function growthOf(run: (text: string) => unknown, textOf: (size: number) => string): number {
  const small = inOnePiece(textOf(sizes.small))
  const large = inOnePiece(textOf(sizes.large))
  if (boundedTime(run, small, 5000) === undefined) return Number.POSITIVE_INFINITY
  let least = Number.POSITIVE_INFINITY
  for (let time = 0; time < mostRuns && least > plain; time += 1) {
    const base = meanTime(run, small)
    const took = boundedTime(run, large, base * hopeless + 1000)
    if (took !== undefined && took <= harmlessMs) return 1
    if (took !== undefined) least = Math.min(least, took / base)
    else if (least === Number.POSITIVE_INFINITY) return least
  }
  return least
}

/** So that putting it together is not counted. */
function inOnePiece(text: string): string {
  return Buffer.from(text).toString()
}

function meanTime(run: (text: string) => unknown, text: string): number {
  let sum = 0
  let times = 0
  for (; sum < baseMs && times < 200; times += 1) sum += timeOf(() => run(text))
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

/** The same; undefined where it was cut off because it took longer than this. */
function boundedTime(run: (text: string) => unknown, text: string, longestMs: number): number | undefined {
  held.run = () => run(text)
  try {
    return timeOf(() => script.runInContext(context, { timeout: Math.ceil(longestMs * leave) }))
  } catch {
    return undefined
  }
}

function isCutOff(error: unknown): boolean {
  return Object(error).code === "ERR_SCRIPT_EXECUTION_TIMEOUT"
}
