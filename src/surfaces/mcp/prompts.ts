import type { McpServer } from "@modelcontextprotocol/server"
import { z } from "zod"
import { UserError } from "../../base/errors.ts"
import { fence, memoryTag } from "../../llm/fence.ts"
import { type ClientContext, viewFrom } from "./client-context.ts"
import type { McpNeeds } from "./needs.ts"
import { recallContext } from "./recall-context.ts"

const mostRecalled = 10

function said(text: string) {
  return { messages: [{ role: "user" as const, content: { type: "text" as const, text } }] }
}

/** What a person can start a conversation with. */
export function addPrompts(server: McpServer, needs: McpNeeds, context: ClientContext): void {
  server.registerPrompt(
    "recall",
    {
      title: "Recall",
      description: "Brings up what is remembered about a topic.",
      argsSchema: z.object({ topic: z.string().min(1).max(10_000).describe("What it is about.") }),
    },
    async ({ topic }) => {
      const view = viewFrom(context, {})
      const found = await needs.use((client) =>
        recallContext(client, { text: topic, limit: mostRecalled, view }),
      )
      const text = await needs.clean(asked(topic, found.text), context.folder)
      return said(text)
    },
  )
  addTendingPrompts(server, needs, context)
}

/** Tending by hand. Asking for a cycle is a prompt and no tool: only the user may spend the budget like that. */
function addTendingPrompts(server: McpServer, needs: McpNeeds, context: ClientContext): void {
  server.registerPrompt(
    "ambient",
    { title: "Ambient", description: "Shows how tending stands: status, queue, last cycle, next wake." },
    async () => {
      const { status, reason, queue, lastCycle, nextWake } = await needs.use((client) => client.ambient())
      const last = lastCycle && {
        at: lastCycle.startedAt,
        status: lastCycle.status,
        summary: lastCycle.summary,
      }
      const next = queue.next && { due: queue.next.dueAt, what: queue.next.context }
      const told = { status, reason, queue: { count: queue.count, next }, lastCycle: last, nextWake }
      const text = `Tell me in short how Reverie's tending stands:\n\n${fence(memoryTag, JSON.stringify(told, null, 2))}`
      return said(await needs.clean(text, context.folder))
    },
  )
  server.registerPrompt(
    "inbox",
    {
      title: "Inbox",
      description: "Shows what waits for your permission. Deciding is yours, in a terminal.",
    },
    async () => said(await needs.clean(await inboxText(needs), context.folder)),
  )
  server.registerPrompt(
    "consolidate",
    { title: "Consolidate", description: "Has Reverie tend its memory now, in the background." },
    async () => said(await needs.clean(await consolidate(needs), context.folder)),
  )
}

async function inboxText(needs: McpNeeds): Promise<string> {
  const { requests } = await needs.use((client) => client.inbox())
  if (requests.length === 0) return "Nothing waits for my permission in Reverie's inbox. Tell me so."
  const told = requests.map(({ id, action, urgency, description, rationale, context, expiresAt }) => {
    return {
      id,
      action,
      urgency,
      description,
      rationale,
      risks: context.risks,
      files: context.files,
      expiresAt,
    }
  })
  const how =
    "Tell me in short what waits for my permission in Reverie's inbox, the risks first. I decide in a terminal, by `reverie inbox`."
  return `${how}\n\n${fence(memoryTag, JSON.stringify(told, null, 2))}`
}

async function consolidate(needs: McpNeeds): Promise<string> {
  try {
    const { status, reason } = await needs.use((client) => client.wake())
    if (status === "off") return `Reverie cannot tend its memory: ${reason} Tell me so.`
    return "I have asked Reverie to tend its memory; it does so in the background. Tell me that `reverie cycles` shows what it did."
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return `Reverie could not be asked to tend its memory: ${error.message} Tell me so.`
  }
}

function asked(topic: string, memories: string): string {
  if (memories === "") return `Nothing is remembered about this: ${topic}`
  const how = "Take it as background, judge whether it still holds, and tell me what of it matters here."
  return `This is remembered about: ${topic}\n\n${memories}\n\n${how}`
}
