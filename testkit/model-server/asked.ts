/** What a client asked, read from its wire format into one shape that tests can compare. */
export interface Asked {
  model: string
  /** Instructions, system and developer messages, with an empty line between them. */
  system: string
  messages: readonly AskedMessage[]
  tools: readonly AskedTool[]
  maxTokens: number | null
  stream: boolean
}

/** One message. Thoughts handed back are left out: look into the body for them. */
export type AskedMessage =
  | { role: "user"; text: string }
  | { role: "assistant"; text: string; calls: readonly AskedCall[] }
  | { role: "tool"; results: readonly AskedResult[] }

/** A tool call that is part of what was said so far. Arguments that are no JSON stay text. */
interface AskedCall {
  id: string
  name: string
  input: unknown
}

/** A result handed back. Only Anthropic's format tells errors apart; elsewhere it is always false. */
interface AskedResult {
  callId: string
  text: string
  isError: boolean
}

export interface AskedTool {
  name: string
  description: string
  schema: unknown
}

/** One request as it came in. */
export interface HttpRequest {
  method: string
  /** Without the query. */
  path: string
  query: string
  headers: Readonly<Record<string, string>>
  /** Parsed JSON; the text itself where it is none. */
  body: unknown
}

/** A request to a model: what came over the wire, and what it means. */
export interface ModelRequest extends HttpRequest {
  format: "responses" | "chat" | "messages" | "gemini"
  asked: Asked
  /** How it ended: answered to the end, broken off as scripted, or left by the client before. */
  ended: Promise<"answered" | "cut" | "abandoned">
}

/** Adds a message, joining it to the one before where the wire has several items for one turn. */
export function addMessage(messages: AskedMessage[], next: AskedMessage): void {
  const last = messages.at(-1)
  if (last?.role === "tool" && next.role === "tool") {
    messages[messages.length - 1] = { role: "tool", results: [...last.results, ...next.results] }
  } else if (last?.role === "assistant" && next.role === "assistant") {
    messages[messages.length - 1] = {
      role: "assistant",
      text: last.text + next.text,
      calls: [...last.calls, ...next.calls],
    }
  } else {
    messages.push(next)
  }
}

/** JSON from the wire; the text itself where it is none. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
