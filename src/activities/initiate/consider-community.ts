import type { Candidate } from "../../chat/discovery/choose/rank.ts"
import { canonicalUrl, limitLinks, linksIn } from "../../chat/discovery/items/canonical-url.ts"
import type { Thought, ThoughtAnswer } from "../../chat/initiative/thought.ts"
import { namesOf } from "../../chat/policy/explain.ts"
import { cleanForSending } from "../../chat/silence/clean.ts"
import { type ParsedThought, readThought } from "../../chat/silence/thought-answer.ts"
import type { Models } from "../../llm/choice/models.ts"
import { askChatModel } from "../listen/ask-model.ts"
import { considerTools, mayPost, type WebNeeds } from "./consider-tools.ts"
import { type Gathered, type GatherNeeds, gather } from "./gather.ts"
import { type ConsiderPrompt, considerPrompt } from "./prompts.ts"

/** What considering a community needs. */
export interface ConsiderNeeds extends GatherNeeds {
  models: Models
  /** Undefined if no tools may be used. */
  web: WebNeeds | undefined
  instructions(): string | null
}

/** The result of considering a community once. */
export type ConsiderOutcome = { calls: number; usd: number; tokens: { input: number; output: number } } & (
  | {
      outcome: "answered"
      answer: ThoughtAnswer
      mark: string | null
      sources: string[]
      hasReadWeb: boolean
    }
  | { outcome: "failed"; reason: string }
)

/** Limits of tokens in and out together, and of tokens in one answer. */
const maxTokens = 80_000
const maxOutputTokens = 1500

/** Considers a community once: gathers its context, asks the model, reads its answer. It posts nothing itself. */
export async function considerCommunity(
  needs: ConsiderNeeds,
  rooms: Parameters<typeof gather>[1],
  { thought, run, signal }: { thought: Thought | null; run: string; signal: AbortSignal },
): Promise<ConsiderOutcome> {
  const { config, clock } = needs
  const { text: settings } = config.chat.initiative
  const gathered = await gather(needs, rooms, thought)
  const { community, channels, mark } = gathered
  const room = channels[0]?.room
  if (room === undefined) throw new Error("There is no channel to consider.")
  // A held thought is reviewed with one call: its research was done when it was thought.
  const tools = considerTools(needs, { room, community, run, mayUseTools: thought === null })
  const shown = considerPrompt(gathered, {
    now: clock.now(),
    names: namesOf(config.chat),
    instructions: needs.instructions(),
    abilities: tools.abilities,
  })
  const { usd, spent, text, messages, problem } = await askChatModel(
    needs.models,
    {
      system: shown.system,
      messages: [{ role: "user", text: shown.prompt }],
      tools: tools.tools,
      dispatch: tools.dispatch,
      limits: {
        steps: settings.max_tool_steps,
        calls: settings.max_tool_calls,
        tokens: maxTokens,
        wallMs: settings.timeout_seconds * 1000,
      },
      maxOutputTokens,
      signal,
    },
    "chat.initiative.text.timeout_seconds",
  )
  const spending = {
    calls: Math.max(1, messages.filter(({ role }) => role === "assistant").length),
    usd,
    tokens: { input: spent.input, output: spent.output },
  }
  if (problem !== undefined) return { outcome: "failed", reason: problem, ...spending }
  const hasReadWeb = tools.hasReadWeb() || (thought?.hasReadWeb ?? false)
  const answer = checkAnswer(needs, { gathered, shown, hasReadWeb }, readThought(text))
  const sources = answer.action === "drop" ? [] : sourcesOf(answer.text, gathered.feed)
  return { outcome: "answered", answer, mark, sources, hasReadWeb, ...spending }
}

/** Checks an answer: its channel must be one that it may post in, its links within the limit, and safety must allow it. */
function checkAnswer(
  needs: ConsiderNeeds,
  { gathered, shown, hasReadWeb }: { gathered: Gathered; shown: ConsiderPrompt; hasReadWeb: boolean },
  parsed: ParsedThought,
): ThoughtAnswer {
  if (parsed.action === "drop") return parsed
  const { thought, channels } = gathered
  const named = channels.find(({ label, room }) => [label, room.channel].includes(parsed.channel ?? ""))
  const former = channels.find(({ room }) => JSON.stringify(room) === JSON.stringify(thought?.room))
  const channel = named ?? (parsed.channel === null ? former : undefined)
  if (channel === undefined) return drop(parsed.reason, "It named no channel that it may post in.")
  const { initiative } = needs.config.chat
  const text = cleanForSending(limitLinks(parsed.text, initiative.discovery.max_links_per_post))
  if (text === "") return drop(parsed.reason, "Nothing was left after its links were removed.")
  const to = shown.messageOf(parsed.replyTo)
  const kept = {
    ...{ room: channel.room, text, media: parsed.media, reason: parsed.reason },
    replyTo: to !== null && to.label === channel.label ? to.id : null,
  }
  if (parsed.action === "hold") return { action: "hold", ...kept }
  const permission = mayPost(needs, channel.room, hasReadWeb)
  if (!permission.may) return drop(parsed.reason, permission.reason)
  if (channel.isBusy) return { action: "hold", ...kept, reason: "People are talking with it there." }
  return { action: "post", ...kept }
}

function drop(intent: string, reason: string): ThoughtAnswer {
  return { action: "drop", reason: intent === "" ? reason : `${reason} (It wanted to: ${intent})` }
}

/** The sources of the feed entries that a text links to. */
function sourcesOf(text: string, feed: readonly Candidate[]): string[] {
  const links = new Set(linksIn(text).map((link) => canonicalUrl(link) ?? link))
  return [...new Set(feed.filter(({ url }) => links.has(url)).map(({ source }) => source))]
}
