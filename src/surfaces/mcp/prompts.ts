import type { McpServer, StandardSchemaWithJSON } from "@modelcontextprotocol/server"
import { z } from "zod"
import { UserError } from "../../base/errors.ts"
import { describeInvalidInput } from "../../base/text/invalid-input.ts"
import { fence, memoryTag } from "../../llm/fence.ts"
import { type ClientContext, scopeOf } from "./client-context.ts"
import type { McpNeeds } from "./needs.ts"
import { recallContext } from "./recall-context.ts"

const mostRecalled = 10

function userMessage(text: string) {
  return { messages: [{ role: "user" as const, content: { type: "text" as const, text } }] }
}

const recallInput = z.object({ topic: z.string().min(1).max(10_000).describe("What it is about.") })

/** The schema, with the first problem as one sentence instead of the schema's own words. */
function inOneSentence<T extends z.ZodObject>(schema: T): StandardSchemaWithJSON<z.input<T>, z.output<T>> {
  const { jsonSchema, ...standard } = schema["~standard"]
  const validate = (given: unknown) => {
    const parsed = schema.safeParse(given)
    if (parsed.success) return { value: parsed.data }
    return { issues: [{ message: describeInvalidInput(parsed.error, given) }] }
  }
  return { "~standard": { ...standard, jsonSchema, validate } }
}

/** Adds the prompts that a user can start a conversation with. */
export function addPrompts(server: McpServer, needs: McpNeeds, context: ClientContext): void {
  server.registerPrompt(
    "recall",
    {
      title: "Recall",
      description: "Shows what Reverie remembers about a topic.",
      argsSchema: inOneSentence(recallInput),
    },
    async ({ topic }) => {
      const found = await needs.use((client) =>
        recallContext(client, topic, mostRecalled, scopeOf(context, {})),
      )
      const text = await needs.clean(recallText(topic, found.text), context.folder)
      return userMessage(text)
    },
  )
  for (const { name, text, ...about } of tendingPrompts)
    server.registerPrompt(name, about, async () =>
      userMessage(await needs.clean(await text(needs), context.folder)),
    )
}

/** Prompts about tending. Waking it is a prompt and not a tool: only the user may spend the budget. */
const tendingPrompts = [
  {
    ...{ name: "ambient", title: "Ambient", text: ambientText },
    description: "Shows the state of tending: status, queue, last cycle, next wake.",
  },
  {
    ...{ name: "inbox", title: "Inbox", text: inboxText },
    description: "Shows what waits for your permission. You decide in a terminal.",
  },
  {
    ...{ name: "consolidate", title: "Consolidate", text: consolidate },
    description: "Makes Reverie tend its memory now, in the background.",
  },
]

async function ambientText(needs: McpNeeds): Promise<string> {
  const { status, reason, queue, lastCycle, nextWake } = await needs.use((client) => client.ambient())
  const last = lastCycle && {
    at: lastCycle.startedAt,
    status: lastCycle.status,
    summary: lastCycle.summary,
  }
  const next = queue.next && { due: queue.next.dueAt, what: queue.next.context }
  const state = { status, reason, queue: { count: queue.count, next }, lastCycle: last, nextWake }
  return `Tell me in short the state of Reverie's tending:\n\n${fence(memoryTag, JSON.stringify(state, null, 2))}`
}

async function inboxText(needs: McpNeeds): Promise<string> {
  const { requests } = await needs.use((client) => client.inbox())
  if (requests.length === 0) return "Nothing waits for my permission in Reverie's inbox. Tell me so."
  const shown = requests.map(({ id, action, urgency, description, rationale, context, expiresAt }) => {
    const { risks, files } = context
    return { id, action, urgency, description, rationale, risks, files, expiresAt }
  })
  const how =
    "Tell me in short what waits for my permission in Reverie's inbox, the risks first. I decide in a terminal, by `reverie inbox`."
  return `${how}\n\n${fence(memoryTag, JSON.stringify(shown, null, 2))}`
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

function recallText(topic: string, memories: string): string {
  if (memories === "") return `Nothing is remembered about this: ${topic}`
  const how = "Take it as background, judge whether it is still true, and tell me what of it matters here."
  return `This is remembered about: ${topic}\n\n${memories}\n\n${how}`
}
