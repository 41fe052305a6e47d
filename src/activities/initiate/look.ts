import { shorten } from "../../base/text/text.ts"
import type { Candidate } from "../../chat/discovery/choose/rank.ts"
import { canonicalUrl, linksIn } from "../../chat/discovery/items/canonical-url.ts"
import { limitLinks } from "../../chat/discovery/items/limit-links.ts"
import type { Thought, ThoughtAnswer } from "../../chat/initiative/thought.ts"
import { namesOf } from "../../chat/policy/explain.ts"
import { cleanForSending } from "../../chat/silence/clean.ts"
import { type GivenThought, readThought } from "../../chat/silence/thought-answer.ts"
import { costOf } from "../../llm/choice/catalog.ts"
import type { Models } from "../../llm/choice/models.ts"
import { isPaid } from "../../llm/limits/pools.ts"
import { type Gathered, type GatherNeeds, gather } from "./gather.ts"
import { lookTools, mayPost, type WebNeeds } from "./look-tools.ts"
import { type Shown, showLook } from "./prompts.ts"

/** What looking at a community needs. */
export interface LookNeeds extends GatherNeeds {
  models: Models
  web: WebNeeds
  instructions(): string | null
}

/** What came of a look. */
export type LookOutcome = { calls: number; usd: number; tokens: { input: number; output: number } } & (
  | {
      outcome: "answered"
      answer: ThoughtAnswer
      mark: string | null
      sources: string[]
      hasReadWeb: boolean
    }
  | { outcome: "failed"; reason: string }
)

/** How many tokens in and out one look may take, and how long an answer may be. */
const mostTokens = 80_000
const maxOutputTokens = 1500

/** Looks at a community once: gathers, asks the model, reads its answer. It says nothing itself. */
export async function look(
  needs: LookNeeds,
  rooms: Parameters<typeof gather>[1],
  { thought, run, signal }: { thought: Thought | null; run: string; signal: AbortSignal },
): Promise<LookOutcome> {
  const { config, clock } = needs
  const { text: settings } = config.chat.initiative
  const gathered = await gather(needs, rooms, thought)
  const { community, channels, mark } = gathered
  const room = channels[0]?.room
  if (room === undefined) throw new Error("There is no channel to think about.")
  // A held thought is looked at with one call: what it needed to know was found out when it was thought.
  const tools = lookTools(needs, { room, community, run, mayUseTools: thought === null })
  const shown = showLook(gathered, {
    ...{ now: clock.now(), names: namesOf(config.chat), instructions: needs.instructions() },
    abilities: tools.abilities,
  })
  const { by, spent, end, text, messages } = await needs.models.converse(
    "chat",
    {
      ...{ system: shown.system, messages: [{ role: "user", text: shown.prompt }] },
      ...{ tools: tools.tools, dispatch: tools.dispatch },
      limits: {
        ...{ steps: settings.max_tool_steps, calls: settings.max_tool_calls, tokens: mostTokens },
        wallMs: settings.timeout_seconds * 1000,
      },
      ...{ maxOutputTokens, signal },
    },
    { source: "chat", cycle: null },
  )
  const usd = by && isPaid(by.access) ? (spent.costUsd ?? costOf(by.model, spent) ?? 0) : 0
  const spending = {
    calls: Math.max(1, messages.filter(({ role }) => role === "assistant").length),
    usd,
    tokens: { input: spent.input, output: spent.output },
  }
  if (end.reason !== "answered") {
    const reason =
      end.reason === "failed" ? shorten(end.failure.message, 300) : (endings[end.reason] ?? end.reason)
    return { outcome: "failed", reason, ...spending }
  }
  const hasReadWeb = tools.hasReadWeb() || (thought?.hasReadWeb ?? false)
  const answer = settle(needs, { gathered, shown, hasReadWeb }, readThought(text))
  const sources = answer.action === "drop" ? [] : sourcesOf(answer.text, gathered.feed)
  return { outcome: "answered", answer, mark, sources, hasReadWeb, ...spending }
}

const endings: Record<string, string> = {
  "cut-off": "The model's answer was cut off.",
  tokens: "The model used up what one look may take.",
  time: "The model took longer than chat.initiative.text.timeout_seconds.",
  aborted: "It was called off.",
  "ended-by-tool": "The model ended without a decision.",
}

/** Holds an answer against what there is: a channel that may be spoken in, links within their number, safety's word. */
function settle(
  needs: LookNeeds,
  { gathered, shown, hasReadWeb }: { gathered: Gathered; shown: Shown; hasReadWeb: boolean },
  given: GivenThought,
): ThoughtAnswer {
  if (given.action === "drop") return given
  const { thought, channels } = gathered
  const named = channels.find(({ label, room }) => [label, room.channel].includes(given.channel ?? ""))
  const former = channels.find(({ room }) => JSON.stringify(room) === JSON.stringify(thought?.room))
  const channel = named ?? (given.channel === null ? former : undefined)
  if (channel === undefined) return drop(given.reason, "It named no channel that it may speak in.")
  const { initiative } = needs.config.chat
  const text = cleanForSending(limitLinks(given.text, initiative.discovery.max_links_per_post))
  if (text === "") return drop(given.reason, "Without its links nothing was left of it.")
  const to = shown.messageOf(given.replyTo)
  const kept = {
    ...{ room: channel.room, text, media: given.media, reason: given.reason },
    replyTo: to !== null && to.label === channel.label ? to.id : null,
  }
  if (given.action === "hold") return { action: "hold", ...kept }
  const permission = mayPost(needs, channel.room, hasReadWeb)
  if (!permission.may) return drop(given.reason, permission.reason)
  if (channel.isBusy) return { action: "hold", ...kept, reason: "People talk with it there just now." }
  return { action: "post", ...kept }
}

function drop(given: string, reason: string): ThoughtAnswer {
  return { action: "drop", reason: given === "" ? reason : `${reason} (It wanted to: ${given})` }
}

/** The sources of what a text links to. */
function sourcesOf(text: string, feed: readonly Candidate[]): string[] {
  const links = new Set(linksIn(text).map((link) => canonicalUrl(link) ?? link))
  return [...new Set(feed.filter(({ url }) => links.has(url)).map(({ source }) => source))]
}
