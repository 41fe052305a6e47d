import { z } from "zod"
import { callText, filesIn, inputText } from "./claude-form.ts"
import { bounded, type HookDialect, type HookMessage, sessionOf } from "./dialect.ts"

/** The input that our opencode plugin sends (see assets/connect/opencode-plugin.js). */
const inputSchema = z.object({
  sessionID: z.string().min(1),
  directory: z.string().nullish(),
  text: z.string().default(""),
  tool: z.string().default(""),
  args: z.unknown().optional(),
  isError: z.boolean().default(false),
})
type Input = z.infer<typeof inputSchema>

const events = ["start", "prompt", "call", "tool", "output", "end"] as const

/** opencode has plugins instead of hooks; ours has its own events and answers. */
export const opencode: HookDialect = {
  events,
  read(event, input) {
    const parsed = inputSchema.safeParse(input)
    const known = events.find((one) => one === event)
    return parsed.success && known ? read(known, parsed.data) : undefined
  },
  answer: (event, context) => (event === "output" || event === "end" ? undefined : { context }),
}

function read(event: (typeof events)[number], input: Input): HookMessage | undefined {
  const session = sessionOf("opencode", input.sessionID, input.directory ?? undefined)
  const text = bounded(input.text)
  if (event === "start") return { kind: "started", session, how: "anew" }
  if (event === "end") return { kind: "ended", session }
  if (event === "call") {
    const call = bounded(callText(input.args))
    return { kind: "happened", session, happening: { kind: event, name: input.tool, text: call } }
  }
  if (event === "tool") {
    const files = filesIn(input.args)
    const more = files.length > 0 ? { files } : {}
    const happening = {
      kind: event,
      name: input.tool,
      text,
      input: bounded(inputText(input.args)),
      isError: input.isError,
      ...more,
    }
    return { kind: "happened", session, happening }
  }
  return text === "" ? undefined : { kind: "happened", session, happening: { kind: event, text } }
}
