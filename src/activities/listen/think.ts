import { messageOf } from "../../base/errors.ts"
import { newId } from "../../base/random.ts"
import { shorten } from "../../base/text/text.ts"
import type { RoomRef } from "../../chat/channels/channel.ts"
import { type Line, roomKey } from "../../chat/conversation/state.ts"
import { limitLinks } from "../../chat/discovery/items/limit-links.ts"
import { forgetResponses } from "../../chat/feedback/store.ts"
import { type MediaKind, readPlan } from "../../chat/media/plan.ts"
import { namesOf } from "../../chat/policy/explain.ts"
import type { RoomPolicy } from "../../chat/policy/room-policy.ts"
import { type Decision, readDecision, sober } from "../../chat/silence/decision.ts"
import type { Think, ThinkInput, Thought } from "../../chat/supervisor/think.ts"
import type { Config } from "../../config/schema.ts"
import { costOf } from "../../llm/choice/catalog.ts"
import type { Models } from "../../llm/choice/models.ts"
import type { FailureKind } from "../../llm/failure.ts"
import { isPaid } from "../../llm/limits/pools.ts"
import type { RememberNeeds } from "../../memory/write/prepare.ts"
import { type Decided as Allowed, type Guarded, guarded } from "../../safety/dispatch.ts"
import { wrong } from "../../safety/tool.ts"
import { chatAddressedTools, chatReadTools, type Decided, decideTool } from "../../tools/chat.ts"
import { keepDecision } from "../permissions/keep-decision.ts"
import { guidanceFor } from "./feedback/hear-feedback.ts"
import { forgetLearned, wantsForgetting } from "./forget-author.ts"
import { learn, notedIn, statedIn } from "./learn.ts"
import type { MediaDesk } from "./media-desk.ts"
import { roomPrompt, systemPrompt } from "./prompts.ts"
import { recallFor } from "./recall-for.ts"
import { type RoomView, viewRoom } from "./room-view.ts"

/** What thinking about a room needs. */
export interface ThinkNeeds extends RememberNeeds {
  models: Models
  policy(room: RoomRef): RoomPolicy
  /** Pictures, videos and GIFs. */
  media: MediaDesk
  /** Lets what somebody said go, in all rooms of the community. */
  forgetAuthor(room: RoomRef, author: string): Promise<void>
  /** Hears what a model is shown of a room. */
  onShown?: ((text: string) => void) | undefined
  /** There is no model: it stays silent instead of telling people so. */
  isMute?: boolean | undefined
  /** Takes work that nobody waits for, such as remembering. */
  inBackground(work: Promise<unknown>): void
}

/** How much one run may take: turns with tools, calls, tokens in and out. Its time is chat.ambient.flush_timeout_seconds. */
const limits = { steps: 3, calls: 8, tokens: 120_000 }
const maxOutputTokens = 2500

/** Failures after which asking again soon may help. */
const passing: readonly FailureKind[] = ["overloaded", "timeout", "malformed", "empty"]

/** The model side of chat: one bounded conversation for each run, which ends in a decision and posts nothing. */
export function openThink(needs: ThinkNeeds): Think {
  return async (input, signal) => {
    const wishes = await obeyForgetting(needs, input)
    if (wishes.length > 0 && wishes.length === input.messages.length) return confirmed(wishes)
    const run = await openRun(needs, input, wishes)
    needs.onShown?.(run.prompt)
    if (needs.isMute)
      return { outcome: "decided", decision: { action: "silent", reason: "There is no model to ask." } }
    return converse(needs, input, run, signal)
  }
}

/** Asks the model, and makes a decision of what it did or wrote. */
async function converse(
  needs: ThinkNeeds,
  input: ThinkInput,
  run: Run,
  signal: AbortSignal,
): Promise<Thought> {
  const { by, spent, end, text } = await needs.models.converse(
    "chat",
    {
      system: run.system,
      messages: [{ role: "user", text: run.prompt }],
      ...run.tools,
      limits: { ...limits, wallMs: needs.config.chat.ambient.flush_timeout_seconds * 1000 },
      maxOutputTokens,
      mustCall: true,
      signal,
    },
    { source: "chat", cycle: null },
  )
  const usd = by && isPaid(by.access) ? (spent.costUsd ?? costOf(by.model, spent)) : 0
  const decided = run.decided()
  if (decided === undefined && end.reason !== "answered") return { ...failureOf(end), usd }
  const wanted = decided ? decisionOf(decided, run.view) : fromText(text, run.view)
  if (!signal.aborted) needs.inBackground(learnFrom(needs, input, run.view, decided))
  const debug = { shown: run.prompt, raw: decided ? JSON.stringify(decided) : text }
  const withLinks = isAddressed(input) ? wanted : fewerLinks(needs, wanted)
  const made = await withMedia(needs, input, withLinks, { offered: run.media, signal })
  return { outcome: "decided", decision: made.decision, usd: (usd ?? 0) + made.usd, debug }
}

/** What is said unasked has only so many links. */
function fewerLinks({ config }: ThinkNeeds, decision: Decision): Decision {
  const most = config.chat.initiative.discovery.max_links_per_post
  return decision.action === "reply" ? { ...decision, text: limitLinks(decision.text, most) } : decision
}

/** Makes the picture, video or GIF that a reply wants; without it the words are said alone. */
async function withMedia(
  { media, log }: ThinkNeeds,
  input: ThinkInput,
  decision: Decision,
  { offered, signal }: { offered: readonly MediaKind[]; signal: AbortSignal },
): Promise<{ decision: Decision; usd: number }> {
  // Words that are none are not said, and nothing is made for them.
  const spoken = sober(decision)
  if (spoken.action !== "reply" || spoken.media === undefined || signal.aborted)
    return { decision: spoken, usd: 0 }
  const { media: plan, ...words } = spoken
  if (!offered.includes(plan.kind)) return { decision: words, usd: 0 }
  input.extend(media.longestMs + sparedMs)
  try {
    const made = await media.make(input.room, plan, "reply", signal)
    if ("attachment" in made) return { decision: { ...words, attachment: made.attachment }, usd: made.usd }
    const text = isAddressed(input) ? `${words.text}\n(I could not get the ${nouns[plan.kind]}.)` : words.text
    return { decision: { ...words, text }, usd: made.usd }
  } catch (error) {
    log.warn("Something for a chat room could not be made.", { kind: plan.kind, reason: messageOf(error) })
    return { decision: words, usd: 0 }
  }
}

/** What is left to say it, after the longest time that making may take. */
const sparedMs = 30_000
const nouns: Record<MediaKind, string> = { image: "picture", video: "video", gif: "GIF" }

type Ended = Awaited<ReturnType<Models["converse"]>>["end"]

/** Why nothing came of it, and whether asking again soon may help. */
function failureOf(end: Ended): Extract<Thought, { outcome: "unavailable" | "failed" }> {
  if (end.reason === "failed")
    return {
      outcome: passing.includes(end.failure.kind) ? "failed" : "unavailable",
      reason: shorten(end.failure.message, 300),
    }
  const reason = endings[end.reason] ?? "The model ended without a decision."
  return { outcome: end.reason === "tokens" ? "unavailable" : "failed", reason }
}

const endings: Partial<Record<Ended["reason"], string>> = {
  "cut-off": "The model's answer was cut off.",
  tokens: "The model used up what one answer may take.",
  time: "The model took too long.",
  aborted: "It was called off.",
}

/** Everything that one run has: what the model is told, and what it may call. */
interface Run {
  view: RoomView
  tools: Guarded
  system: string
  prompt: string
  /** The kinds of media that a reply may have. */
  media: readonly MediaKind[]
  decided(): Decided | undefined
}

async function openRun(needs: ThinkNeeds, input: ThinkInput, wishes: readonly Wish[]): Promise<Run> {
  const { config, clock } = needs
  const view = viewRoom(input)
  const policy = needs.policy(input.room)
  const mayNote = policy.learns.is
  const query = input.messages.map(({ text }) => text).join("\n")
  const isAsked = isAddressed(input)
  const known = await recallFor(needs, policy, input.room, { query, limit: 8, isAsked })
  const told = [
    ...wishes.map(
      ({ line }) => `You have just forgotten what ${line.author.name} said, as they asked. Tell them so.`,
    ),
    ...(isAsked ? [] : await guidanceFor(needs, input.room)),
  ]
  const media = policy.attaches.is ? await needs.media.offered(input.room, "reply", input.canAttach) : []
  let decided: Decided | undefined
  const tools = toolsFor(needs, input, { view, media }, (one) => {
    decided ??= one
  })
  return {
    view,
    tools,
    media,
    decided: () => decided,
    prompt: roomPrompt(input, view, { now: clock.now(), known, told }),
    system: systemPrompt({
      names: ownNames(config.chat, input.room),
      instructions: input.instructions,
      canReact: input.canReact,
      mayNote,
      media,
    }),
  }
}

/** What it is called in a room; in IRC it also has a nick. */
function ownNames(chat: Config["chat"], { platform }: RoomRef): string[] {
  return [...new Set([...namesOf(chat), ...(platform === "irc" ? [chat.irc.nick] : [])])]
}

/** Whether the people of this run speak to us. */
function isAddressed({ kind }: ThinkInput): boolean {
  return kind === "direct" || kind === "follow-up"
}

/** The tools of a run under a guard that has read outside text from the start. Nobody is there to be asked. */
function toolsFor(
  needs: ThinkNeeds,
  input: ThinkInput,
  { view, media }: Pick<Run, "view" | "media">,
  onDecided: (decided: Decided) => void,
): Guarded {
  const policy = needs.policy(input.room)
  const tools = [
    decideTool({ canReact: input.canReact, mayNote: policy.learns.is, media }, onDecided),
    ...chatReadTools({
      search: (query, limit) => recallFor(needs, policy, input.room, { query, limit, isAsked: true }),
      lookBack: async (limit) => (await input.lookBack(limit)).map(plainLine),
    }),
    ...(isAddressed(input) ? chatAddressedTools(addressedDesk(needs, input, view)) : []),
  ]
  return guarded(
    {
      config: needs.config,
      hasReadOutside: true,
      onDecided: (allowed) => keepCall(needs, input, allowed),
      ask: async ({ tool }) => wrong(`Not done: ${tool} is not for a chat room.`),
    },
    tools,
  )
}

function plainLine({ author, text, isOurs, isVoice }: Line): string {
  const speaker = isOurs ? "you" : author.name
  return `${isVoice ? "[vc] " : ""}${speaker}: ${shorten(text, 600)}`
}

/** Remembering and forgetting for who speaks to us; only messages of this run count, each for its own author. */
function addressedDesk(needs: ThinkNeeds, input: ThinkInput, view: RoomView) {
  const { room, messages } = input
  const lineOf = (number: number) => {
    const line = view.lineOf(number)
    return line && messages.some(({ id }) => id === line.id) ? line : undefined
  }
  const unknown = wrong(`Not done: name one of the messages that you are to answer.`)
  return {
    async remember(message: number, text: string) {
      const line = lineOf(message)
      if (line === undefined) return unknown
      const said = notedIn([{ line, text }])
      if (said.length === 0)
        return wrong("Not remembered: their message does not say that. Use their own words.")
      const [outcome] = await learn(needs, room, said, [])
      if (outcome === undefined || outcome.outcome === "refused")
        return wrong(`Not remembered: ${outcome?.reason ?? "it is known already"}.`)
      return { text: "Remembered." }
    },
    async forget(message: number) {
      const line = lineOf(message)
      if (line === undefined) return unknown
      const count = await forgetFor(needs, room, line.author.id)
      return { text: `Forgotten: ${count} things, and what they said so far. Tell them so.` }
    },
  }
}

/** The journal is told of each call but the decision itself, which the conversation tells. */
async function keepCall(needs: ThinkNeeds, { room, id, kind }: ThinkInput, allowed: Allowed): Promise<void> {
  if (allowed.tool === "decide") return
  const { debug } = needs.config.chat.ambient
  const shown = debug ? { input: shorten(JSON.stringify(allowed.input), 2000) } : {}
  await keepDecision(needs, roomKey(room), allowed, { run: id, kind, ...shown })
}

function decisionOf(given: Decided, view: RoomView): Decision {
  const { action, text, emoji, replyTo, reason } = given
  const media = readPlan(given.media)
  const to = view.idOf(replyTo)
  const short = shorten(reason.replaceAll(/\s+/g, " ").trim(), 240)
  switch (action) {
    case "reply":
      return { action, text, replyTo: to, reason: short, ...(media ? { media } : {}) }
    case "react":
      if (emoji.trim() === "") return { action: "silent", reason: short || "It named no emoji." }
      return { action, emoji: emoji.trim(), to, reason: short }
    case "hold":
      return text.trim() === "" ? { action: "silent", reason: short } : { action, text, reason: short }
    case "silent":
      return { action, reason: short || "It decided to stay silent." }
  }
}

/** What a model wrote instead of calling the tool; numbers in it are ours. */
function fromText(text: string, view: RoomView): Decision {
  const decision = readDecision(text)
  if (decision.action === "reply") return { ...decision, replyTo: view.idOf(decision.replyTo) }
  if (decision.action === "react") return { ...decision, to: view.idOf(decision.to) }
  return decision
}

/** Remembers what people stated, where the policy allows it, and what they asked us to remember. */
async function learnFrom(
  needs: ThinkNeeds,
  input: ThinkInput,
  view: RoomView,
  decided: Decided | undefined,
): Promise<void> {
  const { room, messages, background, history } = input
  try {
    const policy = needs.policy(room)
    const heard = [...background, ...messages].filter(({ author }) => !policy.isBlocked(author))
    const notes = (decided?.notes ?? []).flatMap(({ message, text }) => {
      const line = view.lineOf(message)
      return line && heard.some(({ id }) => id === line.id) ? [{ line, text }] : []
    })
    const asked = isAddressed(input) ? statedIn(messages, "asked") : []
    const said = policy.learns.is ? [...statedIn(heard, "all"), ...notedIn(notes)] : asked
    await learn(
      needs,
      room,
      said,
      history.filter(({ isOurs }) => isOurs),
    )
  } catch (error) {
    needs.log.warn("What was said in a chat room could not be remembered.", { reason: messageOf(error) })
  }
}

interface Wish {
  line: Line
  count: number
}

/** Forgets for whoever asks for it in plain words; that needs no model. */
async function obeyForgetting(needs: ThinkNeeds, input: ThinkInput): Promise<Wish[]> {
  if (!isAddressed(input)) return []
  const names = namesOf(needs.config.chat)
  const wishes: Wish[] = []
  for (const line of input.messages) {
    if (!wantsForgetting(line.text, names)) continue
    wishes.push({ line, count: await forgetFor(needs, input.room, line.author.id) })
  }
  return wishes
}

async function forgetFor(needs: ThinkNeeds, room: RoomRef, author: string): Promise<number> {
  const by = { operation: newId(needs.random, "op"), actor: "chat" }
  await needs.forgetAuthor(room, author)
  await forgetResponses(needs.db, room, author, { ...by, at: needs.clock.now() })
  return forgetLearned(needs, room, author, by)
}

function confirmed(wishes: readonly Wish[]): Thought {
  const count = wishes.reduce((sum, one) => sum + one.count, 0)
  const learned =
    count === 0 ? "I had remembered nothing of it for longer." : `${count} of it I had remembered for longer.`
  const text = `Done: I have forgotten what you said here. ${learned}`
  const replyTo = wishes.at(-1)?.line.id ?? null
  return {
    outcome: "decided",
    decision: { action: "reply", text, replyTo, reason: "Somebody wanted what they said forgotten." },
    usd: 0,
  }
}
