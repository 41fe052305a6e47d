import { z } from "zod"
import type { MediaKind } from "../chat/media/plan.ts"
import { fence } from "../llm/fence.ts"
import { defineTool, type Tool, type ToolOutcome, wrong } from "../safety/tool.ts"

/** What a model decided, as it called it. */
export interface Decided {
  action: "reply" | "react" | "hold" | "silent"
  text: string
  emoji: string
  /** The number of the message that it answers or reacts to. */
  replyTo: number | null
  reason: string
  notes: { message: number; text: string }[]
  /** The plan of a picture, video or GIF, as it wrote it. */
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

/** The one tool that says what is to be done; it does nothing itself, and ends the conversation with the model. */
export function decideTool(
  { canReact, mayNote, media: kinds }: { canReact: boolean; mayNote: boolean; media: readonly MediaKind[] },
  onDecided: (decided: Decided) => void,
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
    async run(given) {
      const { action, text, replyTo, reason } = given
      const { emoji, notes, media } = given as Partial<Pick<Decided, "emoji" | "notes" | "media">>
      if (action === "reply" && (text ?? "").trim() === "")
        return wrong("A reply needs a text. Call decide again, with silent if there is nothing to say.")
      onDecided({
        ...{ action, reason, text: text ?? "", emoji: emoji ?? "", replyTo: replyTo ?? null },
        notes: notes ?? [],
        media: media ?? null,
      })
      return { text: "Decided.", ends: true }
    },
  })
}

/** A room and the memory of its community, as the tools that only look see them. */
export interface ChatDesk {
  /** What is remembered of this community, a line each. */
  search(query: string, limit: number): Promise<string[]>
  /** What was said in this room before, a line each, the oldest first. */
  lookBack(limit: number): Promise<string[]>
}

const mostShown = 12_000

/** What people said, a line each, the newest of it; it cannot be taken for ours. */
function linesFenced(lines: readonly string[]): string {
  const first = lines.findIndex((_line, at) => lines.slice(at).join("\n").length <= mostShown)
  return fence("data", lines.slice(Math.max(0, first)).join("\n"))
}

/** Looks into what is remembered of a community; it changes nothing. */
export function communityMemoryTool(name: string, desk: Pick<ChatDesk, "search">): Tool {
  return defineTool({
    name,
    description: "Find what is remembered of this community and its people.",
    input: z.object({ query: z.string().min(1).max(500), limit: z.int().min(1).max(20).default(8) }),
    tier: "auto",
    readsOutside: true,
    async run({ query, limit }) {
      const lines = await desk.search(query, limit)
      return lines.length === 0 ? "Nothing is remembered about that." : linesFenced(lines)
    },
  })
}

/** What may be used whoever speaks: it looks, and changes nothing. */
export function chatReadTools(desk: ChatDesk): Tool[] {
  return [
    communityMemoryTool("community_search", desk),
    defineTool({
      name: "room_history",
      description: "Look further back in what was said in this room.",
      input: z.object({ messages: z.int().min(1).max(100).default(50) }),
      tier: "auto",
      readsOutside: true,
      async run({ messages }) {
        const lines = await desk.lookBack(messages)
        return lines.length === 0 ? "This room has no history to look into." : linesFenced(lines)
      },
    }),
  ]
}

/** The same for who addresses us: what they say can be remembered and forgotten, and nobody else's. */
export interface AddressedDesk {
  /** A sentence for the model: what was remembered, or why not. */
  remember(message: number, text: string): Promise<ToolOutcome>
  forget(message: number): Promise<ToolOutcome>
}

const whose = z.int().describe("the number of their message, one of those you are to answer")

/** What may be used for somebody who speaks to us, about their own words. */
export function chatAddressedTools(desk: AddressedDesk): Tool[] {
  return [
    defineTool({
      name: "remember_this",
      description: "Remember something for this community that the person who speaks to you asks you to.",
      input: z.object({
        message: whose,
        text: z.string().min(3).max(400).describe("one sentence in their own words, with their name"),
      }),
      tier: "auto",
      run: ({ message, text }) => desk.remember(message, text),
    }),
    defineTool({
      name: "forget_me",
      description:
        "Forget everything that the person who speaks to you ever said in this community. Only if they themselves ask for it.",
      input: z.object({ message: whose }),
      tier: "auto",
      run: ({ message }) => desk.forget(message),
    }),
  ]
}
