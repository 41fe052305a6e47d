import { text as readText } from "node:stream/consumers"
import type { Command } from "commander"
import { createClient } from "../../../../api/client.ts"
import type { Answer } from "../../../../api/contract/answers.ts"
import { isDaemonUp, socketFetch } from "../../../../api/socket-fetch.ts"
import { parseTime } from "../../../../base/clock.ts"
import { tryParseJson } from "../../../../base/text/json.ts"
import { count, spanText } from "../../../../base/text/text.ts"
import type { CliNeeds } from "../../needs.ts"
import { inTime } from "../../view/times.ts"

/** How long the daemon may take to answer. */
const patienceMs = 500

/** `reverie statusline`: one line for another tool's status line. It never fails and answers within a second. */
export function statuslineCommand(program: Command, needs: CliNeeds): void {
  program
    .command("statusline")
    .description("print one line for another tool's status line; learns limits from what Claude Code passes")
    .action(async () => {
      const input = needs.input.isTTY ? "" : await readText(needs.input)
      needs.output.data(await statusLine(needs, input).catch(() => "reverie: not answering"))
    })
}

async function statusLine(needs: CliNeeds, input: string): Promise<string> {
  if (!(await isDaemonUp(needs.paths.socket))) return "reverie: not running"
  const fetch = socketFetch(needs.paths.socket, patienceMs)
  const client = createClient({ fetch, random: needs.random, actor: "statusline" })
  const limits = tryParseJson(input)
  const [status] = await Promise.all([
    client.status(),
    limits === undefined ? undefined : client.learnLimits({ tool: "claude-code", input: limits }),
  ])
  return lineOf(status, needs.clock.now())
}

function lineOf(status: Answer<"status">, now: number): string {
  const { memory, queue } = status
  const parts = [`reverie: ${count(memory.active, "memory", "memories")}`]
  if (memory.learnedToday > 0) parts.push(`learned ${count(memory.learnedToday, "memory", "memories")} today`)
  if (!memory.enabled) parts.push("switched off")
  const tending = tendingNow(status, now)
  if (tending !== undefined) parts.push(tending)
  if (queue.count > 0) parts.push(`${queue.count} queued`)
  return parts.join(" · ")
}

/** The state of tending in a few words. */
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
