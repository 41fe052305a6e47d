import { randomUUID } from "node:crypto"
import { yieldToEventLoop } from "../../src/base/clock.ts"
import { type Embedders, openEmbedders } from "../latency/embedders.ts"
import { loadNotes } from "../quality/notes.ts"
import { type Bench, type Benchmark, type Figure, percentile, timed } from "../shared/figures.ts"
import { type FilledDaemon, startFilledDaemon } from "./filled-daemon.ts"

const project = "bench-project"
/** Prompts in one session, and sessions that work at the same time while one is measured. */
const promptsInSession = 12
const others = 3

/** Whether each prompt gets its own memories with that prompt, and how long it waits for them, through the real daemon. */
export const recallTurn: Benchmark = {
  about:
    "the share of prompts whose own memories come with them, and how long a prompt waits, through the real daemon",
  options: {
    quick: { type: "boolean", help: "1,000 memories only" },
  },
  async run(bench) {
    const embedders = await openEmbedders(bench)
    const sizes = bench.options.quick === true ? [1000] : [1000, 100_000]
    const figures: Figure[] = []
    for (const rows of sizes) figures.push(...(await measureStore(bench, embedders, rows)))
    const shares = figures.filter(({ id }) => id.startsWith("own-prompt-share"))
    const worst = Math.min(...shares.map(({ value }) => value))
    return [{ id: "own-prompt-share", value: worst, unit: "share", better: "higher" }, ...figures]
  },
}

async function measureStore(bench: Bench, embedders: Embedders, rows: number): Promise<Figure[]> {
  const say = (text: string) => bench.say(`${rows.toLocaleString("en-US")} memories: ${text}`)
  const stores = loadNotes()
  const notes = stores.flatMap((store) => store.notes)
  const prompts = stores.flatMap(({ questions }) => questions.map(({ question }) => question))
  say("filling")
  const daemon = await startFilledDaemon(bench, embedders, { notes, rows, project })
  try {
    // The first search of a process reads what later ones find in memory.
    await takePrompts(daemon, prompts.slice(0, promptsInSession), async () => {})
    say("prompts of one session after the other")
    const alone = await takePrompts(daemon, prompts, async () => {})
    say("the same beside busy sessions")
    const busy = startBusySessions(daemon, prompts)
    const beside = await takePrompts(daemon, prompts, yieldToEventLoop)
    await busy.stop()
    const nothing = await emptyPrompts(daemon)
    return [
      ...figuresOf("alone", rows, alone, nothing),
      ...figuresOf(`beside-${others}-others`, rows, beside, nothing),
    ]
  } finally {
    await daemon.stop()
  }
}

interface Taken {
  /** Prompts for which memory has something that was not shown yet, and those of them that got it. */
  wanted: number
  got: number
  times: number[]
}

/** Gives the prompts to sessions of some length, and asks afterwards what each should have got. */
async function takePrompts(
  { client }: FilledDaemon,
  prompts: readonly string[],
  between: () => Promise<void>,
): Promise<Taken> {
  const taken: Taken = { wanted: 0, got: 0, times: [] }
  let surfaced = new Set<string>()
  let session = sessionNamed()
  for (const [index, text] of prompts.entries()) {
    if (index % promptsInSession === 0) {
      surfaced = new Set()
      session = sessionNamed()
    }
    const began = performance.now()
    const { memories } = await client.recallTurn({ session, happening: { kind: "prompt", text } })
    taken.times.push(performance.now() - began)
    const should = await client.recallPreview({ session: sessionNamed(), text })
    const [best] = should.memories.filter(({ id }) => !surfaced.has(id))
    for (const { id } of memories) surfaced.add(id)
    if (best !== undefined) taken.wanted += 1
    if (best !== undefined && surfaced.has(best.id)) taken.got += 1
    await between()
  }
  return taken
}

function sessionNamed() {
  return { id: `bench:${randomUUID()}`, tool: "bench", project }
}

/** Sessions that prompt one after the other without a pause, until they are stopped. */
function startBusySessions({ client }: FilledDaemon, prompts: readonly string[]) {
  let isStopped = false
  const one = async (first: number) => {
    const session = sessionNamed()
    for (let index = first; !isStopped; index += 1) {
      const text = `${prompts[index % prompts.length]} (${index})`
      await client.recallTurn({ session, happening: { kind: "prompt", text } })
    }
  }
  const working = Array.from({ length: others }, (_, index) => one(index * 10))
  return {
    async stop() {
      isStopped = true
      await Promise.all(working)
    },
  }
}

/** How long an empty prompt takes, for which nothing is searched: the price of the request itself. */
async function emptyPrompts({ client }: FilledDaemon): Promise<number[]> {
  const session = sessionNamed()
  const happening = { kind: "prompt" as const, text: " " }
  const times: number[] = []
  for (let count = 0; count < 100; count += 1)
    times.push(await timed(() => client.recallTurn({ session, happening })))
  return times
}

function figuresOf(name: string, rows: number, { wanted, got, times }: Taken, nothing: number[]): Figure[] {
  const share: Figure = {
    id: `own-prompt-share.${name}.${rows}`,
    value: wanted === 0 ? Number.NaN : got / wanted,
    unit: "share",
    better: "higher",
  }
  const waits = [0.5, 0.95].map((part): Figure => {
    const baseline = { name: "an empty prompt", value: percentile(nothing, part) }
    return {
      id: `turn.p${part * 100}.${name}.${rows}`,
      value: percentile(times, part),
      unit: "ms",
      better: "lower",
      baseline,
    }
  })
  return [
    share,
    { id: `prompts-with-memories.${name}.${rows}`, value: wanted, unit: "prompts", better: "higher" },
    ...waits,
  ]
}
