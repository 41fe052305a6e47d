import type { Command } from "commander"
import type { Answer } from "../../../../api/contract/answers.ts"
import type { RequestJson } from "../../../../api/contract/tending-answers.ts"
import { UserError } from "../../../../base/errors.ts"
import { editText } from "../../editor.ts"
import type { CliNeeds } from "../../needs.ts"
import { table } from "../../output.ts"
import { withClient } from "../../session.ts"
import { shortIds } from "../../short-ids.ts"
import { requestRow, requestText } from "../../view/request.ts"

interface Json {
  json?: boolean
}

const idHelp = "its id, or the beginning or end of it"

/** `reverie inbox …`: what waits for the person's permission. */
export function inboxCommand(program: Command, needs: CliNeeds): void {
  const inbox = program.command("inbox").description("what waits for your permission")
  inbox
    .command("list", { isDefault: true })
    .description("list what waits, the most urgent first")
    .option("--all", "also what was decided or has expired")
    .option("--json", "answer in JSON")
    .action((options: Json & { all?: boolean }) => list(needs, options))
  inbox
    .command("show")
    .description("show all of a request: risks, steps, diff, what would run")
    .argument("<id>", idHelp)
    .option("--json", "answer in JSON")
    .action(async (id: string, { json }: Json) => {
      const answer = await withClient(needs, (client) => client.request(id))
      if (json) needs.output.json(answer)
      else needs.output.data(requestText(needs, answer))
    })
  inbox
    .command("approve")
    .description("let exactly what was asked for run, once")
    .argument("<id>", idHelp)
    .option("--json", "answer in JSON")
    .action((id: string, options: Json) => decide(needs, id, { kind: "approve" }, options))
  inbox
    .command("edit")
    .description("approve it with other arguments")
    .argument("<id>", idHelp)
    .option("--input <json>", "the arguments; without it your editor opens")
    .option("--json", "answer in JSON")
    .action((id: string, options: Json & { input?: string }) => edit(needs, id, options))
  inbox
    .command("respond")
    .description("neither allow nor deny it, but tell the agent something")
    .argument("<id>", idHelp)
    .argument("<text...>", "what to tell")
    .option("--json", "answer in JSON")
    .action((id: string, words: string[], options: Json) =>
      decide(needs, id, { kind: "respond", text: words.join(" ") }, options),
    )
  inbox
    .command("deny")
    .description("do not allow it; what is denied twice is not asked again")
    .argument("<id>", idHelp)
    .argument("[reason...]", "why")
    .option("--json", "answer in JSON")
    .action((id: string, words: string[], options: Json) =>
      decide(needs, id, { kind: "deny", ...(words.length > 0 ? { text: words.join(" ") } : {}) }, options),
    )
}

async function list(needs: CliNeeds, { all = false, json }: Json & { all?: boolean }): Promise<void> {
  const answer = await withClient(needs, (client) => client.inbox({ all: all ? "true" : "false" }))
  if (json) return needs.output.json(answer)
  if (answer.requests.length === 0) return needs.output.say("Nothing waits for you.")
  const short = shortIds(answer.requests.map(({ id }) => id))
  const rows = answer.requests.map((request) => requestRow(needs, request, short(request.id)))
  needs.output.data(table(rows, needs.output.width))
}

type Decision =
  | { kind: "approve"; input?: Record<string, unknown> }
  | { kind: "deny"; text?: string }
  | { kind: "respond"; text: string }

/** Decides about what the inbox holds under this id now; the digest keeps it from being about anything else. */
async function decide(needs: CliNeeds, id: string, decision: Decision, { json }: Json): Promise<void> {
  refuseAgents(needs)
  const { answer, isRunning } = await withClient(needs, async (client) => {
    const { id: whole, digest } = await client.request(id)
    const decided = await client.decide(whole, { ...decision, digest, from: "cli" })
    return { answer: decided, isRunning: (await client.status()).daemon.running }
  })
  if (json) needs.output.json(answer)
  else needs.output.say(sentenceOf(answer, isRunning))
}

function sentenceOf({ id, state, call }: RequestJson, isRunning: boolean): string {
  if (state === "denied") return `Denied ${id}.`
  if (state === "answered") return `Told the agent; ${id} is neither allowed nor denied.`
  if (call === null) return `Approved ${id}. The agent is told with its next cycle.`
  const when = isRunning ? "It runs now" : "It runs when the daemon is started"
  return `Approved ${id}. ${when}; \`reverie inbox show ${id}\` tells what came of it.`
}

async function edit(needs: CliNeeds, id: string, options: Json & { input?: string }): Promise<void> {
  refuseAgents(needs)
  const request = await withClient(needs, (client) => client.request(id))
  const input = options.input === undefined ? await edited(needs, request) : readInput(options.input)
  await decide(needs, request.id, { kind: "approve", input }, options)
}

async function edited(needs: CliNeeds, { id, call }: Answer<"request">): Promise<Record<string, unknown>> {
  if (call === null)
    throw new UserError("usage", `${id} has no arguments to edit; approve it, deny it or respond to it.`)
  return readInput(await editText(needs, JSON.stringify(call.input, null, 2)))
}

function readInput(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>
  } catch {}
  throw new UserError("usage", "The arguments must be one JSON object; nothing was decided.")
}

/** What coding agents set for the commands they run. */
const agentMarks = ["CLAUDECODE", "CODEX_SANDBOX", "GEMINI_CLI", "OPENCODE", "CURSOR_AGENT"]

/** An agent cannot decide for the person, although it can run commands. */
export function refuseAgents({ env }: Pick<CliNeeds, "env">): void {
  const mark = agentMarks.find((name) => env.variable(name) !== undefined)
  if (mark !== undefined)
    throw new UserError(
      "refused",
      `Not decided: an agent runs this command (${mark} is set); decide in a terminal of your own.`,
    )
}
