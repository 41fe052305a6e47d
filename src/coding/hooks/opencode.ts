import { z } from "zod"
import { callText, filesIn, inputText } from "./claude-form.ts"
import { bounded, type HookDialect, sessionOf, type Told } from "./dialect.ts"

/** What our own plugin inside opencode sends (see connect/opencode-plugin.ts). */
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

/** opencode has no hooks but plugins; ours asks with events and answers of its own form. */
export const opencode: HookDialect = {
  events,
  read(event, input) {
    const parsed = inputSchema.safeParse(input)
    const known = events.find((one) => one === event)
    return parsed.success && known ? read(known, parsed.data) : undefined
  },
  answer: (event, context) => (event === "output" || event === "end" ? undefined : { context }),
}

function read(event: (typeof events)[number], input: Input): Told | undefined {
  const session = sessionOf("opencode", input.sessionID, input.directory ?? undefined)
  const text = bounded(input.text)
  if (event === "start") return { kind: "started", session, how: "anew" }
  if (event === "end") return { kind: "ended", session }
  const given = bounded(inputText(input.args))
  if (event === "call") {
    const call = bounded(callText(input.args))
    return { kind: "happened", session, happening: { kind: event, name: input.tool, text: call } }
  }
  if (event === "tool") {
    const files = filesIn(input.args)
    const more = files.length > 0 ? { files } : {}
    const happening = { kind: event, name: input.tool, text, input: given, isError: input.isError, ...more }
    return { kind: "happened", session, happening }
  }
  return text === "" ? undefined : { kind: "happened", session, happening: { kind: event, text } }
}
