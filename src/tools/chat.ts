import { z } from "zod"
import type { MediaKind } from "../chat/media/plan.ts"
import { fence } from "../llm/fence.ts"
import { defineTool, type Tool, type ToolOutcome, toolError } from "../safety/tool.ts"

/** A model's decision about what to do in a room. */
export interface ChatDecision {
  action: "reply" | "react" | "hold" | "silent"
  text: string
  emoji: string
  /** The number of the message to answer or react to. */
  replyTo: number | null
  reason: string
  notes: { message: number; text: string }[]
  /** The plan for a picture, video or GIF, unchecked. */
  media: unknown
}

const note = z.object({
  message: z.int().describe("the number of the message that states it"),
  text: z.string().max(400).describe("one sentence that stands alone, with the person's name"),
})

const mediaInput = (kinds: readonly MediaKind[]) =>
  z
    .object({
      kind: z.enum(kinds),
      prompt: z.string().max(4000).describe("what it shows, or what to look for"),
    })
    .nullish()
    .describe("one picture, video or GIF with a reply")

/** The tool with which the model decides. It does nothing itself, and ends the conversation. */
export function decideTool(
  { canReact, mayNote, media: kinds }: { canReact: boolean; mayNote: boolean; media: readonly MediaKind[] },
  onDecided: (decided: ChatDecision) => void,
): Tool {
  const actions = ["reply", "hold", "silent", ...(canReact ? (["react"] as const) : [])] as const
  const input = z.object({
    action: z.enum(actions),
    text: z.string().nullish().describe("what to post, or to keep for later"),
    ...(canReact ? { emoji: z.string().max(60).nullish().describe("one emoji") } : {}),
    replyTo: z.int().nullish().describe("the number of the message it is about"),
    reason: z.string().describe("why, in one short sentence"),
    ...(mayNote ? { notes: z.array(note).max(10).nullish() } : {}),
    ...(kinds.length > 0 ? { media: mediaInput(kinds) } : {}),
  })
  return defineTool({
    name: "decide",
    description: "Decide what to do in the room. Call it once; it ends your turn.",
    input,
    tier: "auto",
    async run(decision) {
      const { action, text, replyTo, reason } = decision
      const { emoji, notes, media } = decision as Partial<Pick<ChatDecision, "emoji" | "notes" | "media">>
      if (action === "reply" && (text ?? "").trim() === "")
        return toolError("A reply needs a text. Call decide again, with silent if there is nothing to say.")
      onDecided({
        ...{ action, reason, text: text ?? "", emoji: emoji ?? "", replyTo: replyTo ?? null },
        notes: notes ?? [],
        media: media ?? null,
      })
      return { text: "Decided.", ends: true }
    },
  })
}

/** A room and the memory of its community, for tools that only read. */
export interface ChatToolContext {
  /** Memories of this community, one line each. */
  search(query: string, limit: number): Promise<string[]>
  /** Earlier messages in this room, one line each, the oldest first. */
  history(limit: number): Promise<string[]>
}

const mostShown = 12_000

/** Messages, one line each, in a fence. Keeps the newest that fit. */
function linesFenced(lines: readonly string[]): string {
  const first = lines.findIndex((_line, at) => lines.slice(at).join("\n").length <= mostShown)
  return fence("data", lines.slice(Math.max(0, first)).join("\n"))
}

/** Searches the memories of a community. */
export function communityMemoryTool(name: string, needs: Pick<ChatToolContext, "search">): Tool {
  return defineTool({
    name,
    description: "Find what is remembered of this community and its people.",
    input: z.object({ query: z.string().min(1).max(500), limit: z.int().min(1).max(20).default(8) }),
    tier: "auto",
    readsUntrusted: true,
    async run({ query, limit }) {
      const lines = await needs.search(query, limit)
      return lines.length === 0 ? "Nothing is remembered about that." : linesFenced(lines)
    },
  })
}

/** Read-only tools, for any speaker. */
export function chatReadTools(needs: ChatToolContext): Tool[] {
  return [
    communityMemoryTool("community_search", needs),
    defineTool({
      name: "room_history",
      description: "Look further back in what was said in this room.",
      input: z.object({ messages: z.int().min(1).max(100).default(50) }),
      tier: "auto",
      readsUntrusted: true,
      async run({ messages }) {
        const lines = await needs.history(messages)
        return lines.length === 0 ? "This room has no history to look into." : linesFenced(lines)
      },
    }),
  ]
}

/** For people who address Reverie: their own messages can be remembered and forgotten, nobody else's. */
export interface AddressedToolContext {
  /** Returns a sentence for the model: what was remembered, or why not. */
  remember(message: number, text: string): Promise<ToolOutcome>
  forget(message: number): Promise<ToolOutcome>
}

const whose = z.int().describe("the number of their message, one of those you are to answer")

/** Tools for somebody who addresses Reverie, about their own messages. */
export function chatAddressedTools(needs: AddressedToolContext): Tool[] {
  return [
    defineTool({
      name: "remember_this",
      description: "Remember something for this community that the person who speaks to you asks you to.",
      input: z.object({
        message: whose,
        text: z.string().min(3).max(400).describe("one sentence in their own words, with their name"),
      }),
      tier: "auto",
      run: ({ message, text }) => needs.remember(message, text),
    }),
    defineTool({
      name: "forget_me",
      description:
        "Forget everything that the person who speaks to you ever said in this community. Only if they themselves ask for it.",
      input: z.object({ message: whose }),
      tier: "auto",
      run: ({ message }) => needs.forget(message),
    }),
  ]
}
