import type { Command } from "commander"
import type { Client } from "../../../../api/client.ts"
import type { Answer } from "../../../../api/contract/answers.ts"
import type { CycleJson } from "../../../../api/contract/tending-answers.ts"
import { type TrustLevel, trustLevels } from "../../../../attention/trust.ts"
import { localTime, sleep } from "../../../../base/clock.ts"
import { exitCodes, UserError } from "../../../../base/errors.ts"
import { count, spanText } from "../../../../base/text/text.ts"
import { calledAs } from "../../called.ts"
import type { CliNeeds } from "../../needs.ts"
import { withClient } from "../../session.ts"
import { cycleText } from "../../view/cycle.ts"
import { openMeter } from "../../view/progress-meter.ts"
import { minutesUntil, spanOfTime } from "../../view/when.ts"

interface PauseOptions {
  for?: number
  until?: string
  json?: boolean
}

/** `reverie pause|resume|wake|trust`: the user's say in tending. */
export function ambientCommands(program: Command, needs: CliNeeds): void {
  program
    .command("pause")
    .description("pause tending until `resume`, or for a while")
    .option("--for <span>", "how long, such as 2h", spanOfTime)
    .option("--until <time>", "until when, such as 18:00")
    .option("--json", "answer in JSON")
    .action((options: PauseOptions) => pause(needs, options))
  program
    .command("resume")
    .description("end a pause")
    .option("--json", "answer in JSON")
    .action(async ({ json }: { json?: boolean }) => {
      const answer = await withClient(needs, (client) => client.resume())
      tell(needs, answer, json, "Tending continues at its next scheduled time.")
    })
  program
    .command("wake")
    .description("ask for a cycle now")
    .option("--wait", "wait for its end and show what it did")
    .option("--json", "answer in JSON")
    .action((options: { wait?: boolean; json?: boolean }) => wake(needs, options))
  program
    .command("trust [level]")
    .description("show what cycles may do, or set it: observe, garden, work or all")
    .option("--revoke", "take it back; the cycles that you approve from now on count")
    .option("--json", "answer in JSON")
    .action((level: string | undefined, options: { revoke?: boolean; json?: boolean }) =>
      trust(needs, level, options),
    )
}

const levelWords: Record<TrustLevel, string> = {
  observe: "a model looks at the memory and says what it would change; rules tend the memory",
  garden: "a model may also merge, replace, link, tag and put aside memories, all of it undoable",
  work: "it may also prepare small changes on branches of its own; pushing one always needs your approval",
}

async function trust(
  needs: CliNeeds,
  level: string | undefined,
  { revoke = false, json }: { revoke?: boolean; json?: boolean },
): Promise<void> {
  if (level !== undefined && revoke) throw new UserError("usage", "Give a level or --revoke, not both.")
  const wanted = level === "all" ? "work" : trustLevels.find((one) => one === level)
  if (level !== undefined && wanted === undefined)
    throw new UserError("usage", `${level} is no level; give observe, garden, work or all.`)
  const answer = await withClient(needs, (client) =>
    wanted === undefined && !revoke ? client.ambient() : client.trust({ level: wanted ?? null }),
  )
  if (json) return needs.output.json(answer)
  needs.output.data(trustText(answer.trust))
}

function trustText({ level, said, approved, steps }: Answer<"ambient">["trust"]): string {
  const why =
    said === null
      ? `you approved ${count(approved, "cycle")}; garden takes ${steps.garden}, work takes ${steps.work}`
      : "you said so; `reverie trust --revoke` takes it back"
  const lines = trustLevels.map((one) => `${one === level ? "→" : " "} ${one.padEnd(8)} ${levelWords[one]}`)
  return [`Cycles may: ${level} (${why}).`, "", ...lines].join("\n")
}

function tell(
  { output }: CliNeeds,
  answer: Answer<"ambient">,
  json: boolean | undefined,
  sentence: string,
): void {
  if (json) output.json(answer)
  else output.say(sentence)
}

async function pause(needs: CliNeeds, options: PauseOptions): Promise<void> {
  if (options.for !== undefined && options.until !== undefined)
    throw new UserError("usage", "Give --for or --until, not both.")
  const minutes = options.until === undefined ? options.for : minutesUntil(needs, "--until", options.until)
  const asked = minutes === undefined ? {} : { minutes: Math.max(1, minutes) }
  const answer = await withClient(needs, (client) => client.pause(asked))
  const now = needs.clock.now()
  const until = minutes === undefined ? "" : ` until ${localTime(now + minutes * 60_000, now)}`
  tell(
    needs,
    answer,
    options.json,
    `Tending is paused${until}; \`${calledAs(needs.env.command)} resume\` ends that.`,
  )
}

async function wake(needs: CliNeeds, { wait, json }: { wait?: boolean; json?: boolean }): Promise<void> {
  await withClient(needs, async (client) => {
    const { entries } = await client.journal({ limit: 1, newest: "true" })
    const { status } = await client.ambient()
    const answer = await client.wake()
    if (answer.status === "off") throw new UserError("refused", `No cycle begins: ${answer.reason}`)
    const begins = status === "running" ? "A cycle is running; another follows it" : "A cycle begins now"
    const where = `\`${calledAs(needs.env.command)} cycles\` shows what it does.`
    if (!wait) return tell(needs, answer, json, `${begins}; ${where}`)
    const after = entries.at(-1)?.seq ?? 0
    const cycle = await (json ? endOfNextCycle(client, after) : watchedCycle(needs, client, after))
    if (cycle.status !== "complete") needs.setExitCode(exitCodes.failed)
    if (json) return needs.output.json(cycle)
    needs.output.data(cycleText(needs, cycle))
  })
}

/** How often it is asked how far a cycle is. */
const lookMs = 500

/** The same as `endOfNextCycle`, with a line on a terminal that tells how far it is. */
async function watchedCycle(needs: CliNeeds, client: Client, after: number): Promise<Answer<"judgeCycle">> {
  const over = new AbortController()
  const began = needs.clock.now()
  const meter = openMeter(needs, { doing: "Tending", unit: "steps" })
  needs.output.progress("A cycle runs …")
  const tell = ({ phase, garden }: CycleJson["progress"]) => {
    if (phase === "talking")
      needs.output.progress(`A model is asked: ${spanText(needs.clock.now() - began)} …`)
    else if (garden) meter.tell({ done: garden.done, share: garden.done / garden.of })
  }
  const look = async () => {
    while (!over.signal.aborted) {
      const { lastCycle } = await client.ambient()
      if (lastCycle?.endedAt === null && !over.signal.aborted) tell(lastCycle.progress)
      await sleep(needs.clock, lookMs, over.signal)
    }
  }
  // Whoever waits is told by the journal when it is over; a look that fails tells nothing.
  const looking = look().catch(() => undefined)
  try {
    return await endOfNextCycle(client, after)
  } finally {
    over.abort()
    await looking
    meter.end()
  }
}

/** Waits for the first cycle that begins after this entry to end. */
async function endOfNextCycle(client: Client, after: number): Promise<Answer<"judgeCycle">> {
  const found = new AbortController()
  let id: string | null = null
  try {
    for await (const { kind, subject } of client.follow({ after }, found.signal)) {
      if (kind === "cycle.started") id ??= subject
      if (kind === "cycle.ended" && id !== null && subject === id) return await client.cycle(id)
    }
  } finally {
    found.abort()
  }
  throw new UserError("failed", "The daemon stopped before the cycle ended; the next one goes on from there.")
}
