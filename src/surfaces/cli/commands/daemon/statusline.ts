import type { Command } from "commander"
import { createClient } from "../../../../api/client.ts"
import type { Answer } from "../../../../api/contract/answers.ts"
import { probeSocket, socketFetch } from "../../../../api/socket-fetch.ts"
import { parseTime } from "../../../../base/clock.ts"
import { count, spanText } from "../../../../base/text/text.ts"
import type { CliNeeds } from "../../needs.ts"
import { readAll } from "../../read-all.ts"
import { inTime } from "../../view/times.ts"

/** How long the daemon may take before the line is shown without it. */
const patienceMs = 500

/** `reverie statusline`: one line for the status line of another tool. It never fails and never makes one wait. */
export function statuslineCommand(program: Command, needs: CliNeeds): void {
  program
    .command("statusline")
    .description("one line for another tool's status line; learns limits from what Claude Code hands it")
    .action(async () => {
      const input = needs.input.isTTY ? "" : await readAll(needs.input)
      needs.output.data(await statusLine(needs, input).catch(() => "reverie: not answering"))
    })
}

async function statusLine(needs: CliNeeds, input: string): Promise<string> {
  if ((await probeSocket(needs.paths.socket)) !== "listening") return "reverie: not running"
  const fetch = socketFetch(needs.paths.socket, patienceMs)
  const client = createClient({ fetch, random: needs.random, actor: "statusline" })
  const told = parse(input)
  const [status] = await Promise.all([
    client.status(),
    told === undefined ? undefined : client.learnLimits({ tool: "claude-code", input: told }),
  ])
  return lineOf(status, needs.clock.now())
}

function parse(input: string): unknown {
  try {
    return JSON.parse(input)
  } catch {
    return undefined
  }
}

function lineOf(status: Answer<"status">, now: number): string {
  const { memory, queue } = status
  const parts = [`reverie: ${count(memory.active, "memory", "memories")}`]
  if (memory.learnedToday > 0) parts.push(`learned ${count(memory.learnedToday, "thing")} today`)
  if (!memory.enabled) parts.push("switched off")
  const tending = tendingNow(status, now)
  if (tending !== undefined) parts.push(tending)
  if (queue.count > 0) parts.push(`${queue.count} queued`)
  return parts.join(" · ")
}

/** What tending does, in the fewest words. */
function tendingNow(
  { status, nextWake, pausedUntil, budget }: Answer<"status">,
  now: number,
): string | undefined {
  if (status === "running") return "tending"
  if (status === "off") return undefined
  if (pausedUntil !== null) return `paused${span(pausedUntil, now)}`
  if (status === "scheduled") return `idle${nextWake === null ? "" : `, tends ${inTime(nextWake, now)}`}`
  if (status === "paused") return `waits${span(nextWake, now)}`
  if (budget === null) return undefined
  return budget.mayRun ? "may tend" : `waits${span(budget.nextAt, now)}`
}

function span(time: string | null, now: number): string {
  const at = time === null ? undefined : parseTime(time)
  return at === undefined || at <= now ? "" : ` ${spanText(at - now)}`
}
