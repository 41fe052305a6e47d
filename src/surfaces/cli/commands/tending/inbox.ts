import type { Command } from "commander"
import type { Client } from "../../../../api/client.ts"
import type { RequestJson } from "../../../../api/contract/tending-answers.ts"
import { isDaemonUp } from "../../../../api/socket-fetch.ts"
import { UserError } from "../../../../base/errors.ts"
import { apiCommand } from "../../api-command.ts"
import { editText } from "../../editor.ts"
import type { CliNeeds } from "../../needs.ts"
import { idHelp } from "../../option-values.ts"
import { table } from "../../output.ts"
import { shortIds } from "../../short-ids.ts"
import { requestRow, requestText } from "../../view/request.ts"

/** `reverie inbox …`: the requests that wait for the user's permission. */
export function inboxCommand(program: Command, needs: CliNeeds): void {
  const { output } = needs
  const inbox = program.command("inbox").description("show and decide requests for your permission")
  const command = (name: string, description: string) =>
    inbox.command(name).description(description).argument("<id>", idHelp)
  apiCommand(
    needs,
    inbox
      .command("list", { isDefault: true })
      .description("list what waits, the most urgent first")
      .option("--all", "also what was decided or has expired"),
    (client, { all }: { all?: boolean }) => client.inbox({ all: all ? "true" : "false" }),
    ({ requests }) => {
      if (requests.length === 0) return output.say("No requests wait for you.")
      const short = shortIds(requests.map(({ id }) => id))
      const rows = requests.map((request) => requestRow(needs, request, short(request.id)))
      output.data(table(rows, output.width))
    },
  )
  apiCommand(
    needs,
    command("show", "show a whole request: risks, steps, diff, what would run"),
    (client, id: string) => client.request(id),
    (request) => output.data(requestText(needs, request)),
  )
  const report = async (request: RequestJson) =>
    output.say(decisionText(request, await isDaemonUp(needs.paths.socket)))
  apiCommand(
    needs,
    command("approve", "approve a request: exactly what it shows runs once"),
    (client, id: string) => decide(needs, client, id, { kind: "approve" }),
    (request) => report(request),
  )
  apiCommand(
    needs,
    command("edit", "approve a request with other arguments").option(
      "--input <json>",
      "the arguments; without it your editor opens",
    ),
    async (client, id: string, { input }: { input?: string }) => {
      refuseAgents(needs)
      const text = input ?? (await editArguments(needs, await client.request(id)))
      return decide(needs, client, id, { kind: "approve", input: parseArguments(text) })
    },
    (request) => report(request),
  )
  apiCommand(
    needs,
    command("respond", "answer the agent without approving or denying").argument("<text...>", "your answer"),
    (client, id: string, words: string[]) =>
      decide(needs, client, id, { kind: "respond", text: words.join(" ") }),
    (request) => report(request),
  )
  apiCommand(
    needs,
    command("deny", "deny a request; after two denials Reverie does not ask again").argument(
      "[reason...]",
      "why",
    ),
    (client, id: string, words: string[]) =>
      decide(needs, client, id, { kind: "deny", text: words.join(" ") || undefined }),
    (request) => report(request),
  )
}

type Decision =
  | { kind: "approve"; input?: Record<string, unknown> }
  | { kind: "deny"; text?: string | undefined }
  | { kind: "respond"; text: string }

/** Decides the request that has this id now; its digest keeps the decision from applying to anything else. */
async function decide(needs: CliNeeds, client: Client, id: string, decision: Decision) {
  refuseAgents(needs)
  const { id: whole, digest } = await client.request(id)
  return client.decide(whole, { ...decision, digest, from: "cli" })
}

function decisionText({ id, state, call }: RequestJson, isRunning: boolean): string {
  if (state === "denied") return `Denied ${id}.`
  if (state === "answered") return `Sent your answer; ${id} is neither approved nor denied.`
  if (call === null) return `Approved ${id}. The agent learns of it in its next cycle.`
  const when = isRunning ? "It runs now" : "It runs when the daemon starts"
  return `Approved ${id}. ${when}; \`reverie inbox show ${id}\` shows the result.`
}

function editArguments(needs: CliNeeds, { id, call }: RequestJson): Promise<string> {
  if (call === null)
    throw new UserError("usage", `${id} has no arguments to edit; approve it, deny it or respond to it.`)
  return editText(needs, JSON.stringify(call.input, null, 2))
}

function parseArguments(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>
  } catch {}
  throw new UserError("usage", "The arguments must be one JSON object; nothing was decided.")
}

/** Variables that coding agents set for the commands they run. */
const agentVariables = ["CLAUDECODE", "CODEX_SANDBOX", "GEMINI_CLI", "OPENCODE", "CURSOR_AGENT"]

/** Throws if an agent runs the command: an agent can run commands, but must not decide for the user. */
export function refuseAgents({ env }: Pick<CliNeeds, "env">): void {
  const name = agentVariables.find((one) => env.variable(one) !== undefined)
  if (name !== undefined)
    throw new UserError(
      "refused",
      `Not decided: an agent runs this command (${name} is set); decide in a terminal of your own.`,
    )
}
