import type { Command } from "commander"
import type { Client } from "../../../../api/client.ts"
import type { Answer } from "../../../../api/contract/answers.ts"
import type { CycleJson } from "../../../../api/contract/tending-answers.ts"
import { type TrustLevel, trustLevels } from "../../../../attention/trust.ts"
import { localTime, parseTime, sleep } from "../../../../base/clock.ts"
import { exitCodes, UserError } from "../../../../base/errors.ts"
import { count, spanText } from "../../../../base/text/text.ts"
import { apiCommand } from "../../api-command.ts"
import { withCommandName } from "../../command-name.ts"
import type { CliNeeds } from "../../needs.ts"
import { minutesUntil, spanOfTime } from "../../option-values.ts"
import { cycleText } from "../../view/cycle.ts"
import { openMeter } from "../../view/progress-meter.ts"

/** `reverie pause|resume|wake|trust`: the user's control of tending. */
export function ambientCommands(program: Command, needs: CliNeeds): void {
  apiCommand(
    needs,
    program
      .command("pause")
      .description("pause tending until `resume`, or for a while")
      .option("--for <span>", "how long, such as 2h", spanOfTime)
      .option("--until <time>", "until when, such as 18:00"),
    (client, { for: span, until }: { for?: number; until?: string }) => {
      if (span !== undefined && until !== undefined)
        throw new UserError("usage", "Give --for or --until, not both.")
      const minutes = until === undefined ? span : minutesUntil(needs, "--until", until)
      return client.pause(minutes === undefined ? {} : { minutes: Math.max(1, minutes) })
    },
    ({ pausedUntil }) => {
      const at = parseTime(pausedUntil ?? "")
      const until = at === undefined ? "" : ` until ${localTime(at, needs.clock.now())}`
      needs.output.say(`Tending is paused${until}; \`reverie resume\` resumes it.`)
    },
  )
  apiCommand(
    needs,
    program.command("resume").description("end a pause"),
    (client) => client.resume(),
    () => needs.output.say("Tending continues at its next scheduled time."),
  )
  apiCommand(
    needs,
    program
      .command("wake")
      .description("start a cycle now")
      .option("--wait", "wait for its end and show what it did"),
    async (client, { wait }: { wait?: boolean }) => {
      const { entries } = await client.journal({ limit: 1, newest: "true" })
      const answer = await client.wake()
      if (answer.status === "off") throw new UserError("refused", `No cycle starts: ${answer.reason}`)
      return wait ? watchedCycle(needs, client, entries.at(-1)?.seq ?? 0) : answer
    },
    (answer) => {
      if ("messages" in answer) return needs.output.data(cycleText(needs, answer))
      needs.output.say("A cycle starts now, or after the one that runs; `reverie cycles` shows what it does.")
    },
  )
  apiCommand(
    needs,
    program
      .command("trust [level]")
      .description("show what cycles may do, or set it: observe, garden, work or all")
      .option("--revoke", "remove your setting; the cycles that you approve from now on decide"),
    (client, level: string | undefined, { revoke }: { revoke?: boolean }) => {
      if (level === undefined && !revoke) return client.ambient()
      if (level !== undefined && revoke) throw new UserError("usage", "Give a level or --revoke, not both.")
      if (level === "") throw new UserError("usage", "The level is empty; give observe, garden, work or all.")
      const wanted = level === "all" ? "work" : trustLevels.find((one) => one === level)
      if (level !== undefined && wanted === undefined)
        throw new UserError("usage", `${level} is not a level; give observe, garden, work or all.`)
      return client.trust({ level: wanted ?? null })
    },
    (answer) => needs.output.data(withCommandName(trustText(answer.trust), needs.env.command)),
  )
}

const levelWords: Record<TrustLevel, string> = {
  observe: "a model reads the memory and says what it would change; only rules change it",
  garden: "a model may also merge, replace, link, tag and hide memories; you can undo all of it",
  work: "it may also prepare small changes on branches of its own; pushing one always needs your approval",
}

function trustText({ level, said, approved, steps }: Answer<"ambient">["trust"]): string {
  const why =
    said === null
      ? `you approved ${count(approved, "cycle")}; garden needs ${steps.garden}, work needs ${steps.work}`
      : "you set it; `reverie trust --revoke` removes that"
  const lines = trustLevels.map((one) => `${one === level ? "→" : " "} ${one.padEnd(8)} ${levelWords[one]}`)
  return [`Cycles may: ${level} (${why}).`, "", ...lines].join("\n")
}

/** How often the progress of a cycle is read. */
const pollMs = 500

/** The same as `endOfNextCycle`, with a progress line on a terminal. */
async function watchedCycle(needs: CliNeeds, client: Client, after: number): Promise<Answer<"judgeCycle">> {
  const over = new AbortController()
  const began = needs.clock.now()
  const meter = openMeter(needs, { doing: "Tending", unit: "steps" })
  needs.output.progress("A cycle is running …")
  const show = ({ phase, garden }: CycleJson["progress"]) => {
    if (phase === "talking")
      needs.output.progress(`Waiting for the model: ${spanText(needs.clock.now() - began)} …`)
    else if (garden) meter.update({ done: garden.done, share: garden.done / garden.of })
  }
  const poll = async () => {
    while (!over.signal.aborted) {
      const { lastCycle } = await client.ambient()
      if (lastCycle?.endedAt === null && !over.signal.aborted) show(lastCycle.progress)
      await sleep(needs.clock, pollMs, over.signal)
    }
  }
  // The journal says when the cycle ends; a failed poll only skips one update.
  const polling = poll().catch(() => undefined)
  try {
    const cycle = await endOfNextCycle(client, after)
    if (cycle.status !== "complete") needs.setExitCode(exitCodes.failed)
    return cycle
  } finally {
    over.abort()
    await polling
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
  throw new UserError(
    "failed",
    "The daemon stopped before the cycle ended; the next cycle continues from there.",
  )
}
