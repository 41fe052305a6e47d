import type { Command } from "commander"
import type { Client } from "../../../../api/client.ts"
import type { AmbientAnswer, CycleAnswer } from "../../../../api/contract.ts"
import { localTime } from "../../../../base/clock.ts"
import { exitCodes, UserError } from "../../../../base/errors.ts"
import { calledAs } from "../../called.ts"
import type { CliNeeds } from "../../needs.ts"
import { withClient } from "../../session.ts"
import { cycleText } from "../../view/cycle.ts"
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
    .description("let tending rest until `resume`, or for a while")
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
      tell(needs, answer, json, "Tending goes on when it is time.")
    })
  program
    .command("wake")
    .description("ask for a cycle now")
    .option("--wait", "wait for its end and show what it did")
    .option("--json", "answer in JSON")
    .action((options: { wait?: boolean; json?: boolean }) => wake(needs, options))
  program
    .command("trust")
    .description("let cycles do more than garden; --revoke ends that")
    .option("--revoke", "garden only, until cycles have gone well again")
    .option("--json", "answer in JSON")
    .action(async ({ revoke = false, json }: { revoke?: boolean; json?: boolean }) => {
      const answer = await withClient(needs, (client) => client.trust({ trusted: !revoke }))
      const sentence = revoke
        ? "Cycles only garden from now on, until enough of them have gone well."
        : "Cycles may do more than garden now. `reverie trust --revoke` ends that."
      tell(needs, answer, json, sentence)
    })
}

function tell(
  { output }: CliNeeds,
  answer: AmbientAnswer,
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
    if (!json) needs.output.progress("A cycle runs …")
    const cycle = await endOfNextCycle(client, entries.at(-1)?.seq ?? 0)
    if (!json) needs.output.progress("")
    if (cycle.status !== "complete") needs.setExitCode(exitCodes.failed)
    if (json) return needs.output.json(cycle)
    needs.output.data(cycleText(needs, cycle))
  })
}

/** Waits for the first cycle that begins after this entry to end. */
async function endOfNextCycle(client: Client, after: number): Promise<CycleAnswer> {
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
