import type { Command } from "commander"
import { createClient } from "../../../api/client.ts"
import type { StatusAnswer } from "../../../api/contract.ts"
import { probeSocket, socketFetch } from "../../../api/socket-fetch.ts"
import { parseTime } from "../../../base/clock.ts"
import { count, spanText } from "../../../base/text.ts"
import type { CliNeeds } from "../needs.ts"
import { readAll } from "../read-all.ts"

/** How long the daemon may take before the line is shown without it. */
const patienceMs = 500

/** `reverie statusline`: one line for the status line of another tool. It never fails and never makes one wait. */
export function statuslineCommand(program: Command, needs: CliNeeds): void {
  program
    .command("statusline")
    .description("one line for another tool's status line; learns limits from what Claude Code hands it")
    .action(async () => {
      const input = process.stdin.isTTY ? "" : await readAll(process.stdin)
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

function lineOf({ memory, budget }: StatusAnswer, now: number): string {
  const parts = [`reverie: ${count(memory.active, "memory", "memories")}`]
  if (!memory.enabled) parts.push("switched off")
  if (budget !== null) parts.push(budget.mayRun ? "may tend" : waiting(budget.nextAt, now))
  return parts.join(" · ")
}

function waiting(nextAt: string | null, now: number): string {
  const at = nextAt === null ? undefined : parseTime(nextAt)
  return at === undefined || at <= now ? "waits" : `waits ${spanText(at - now)}`
}
