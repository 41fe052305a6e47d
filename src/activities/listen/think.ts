import { messageOf } from "../../base/errors.ts"
import { newId } from "../../base/random.ts"
import { count, shorten } from "../../base/text/text.ts"
import type { RoomRef } from "../../chat/channels/channel.ts"
import { type Line, roomKey } from "../../chat/conversation/state.ts"
import { limitLinks } from "../../chat/discovery/items/canonical-url.ts"
import { deleteResponses } from "../../chat/feedback/store.ts"
import { type MediaKind, readPlan } from "../../chat/media/plan.ts"
import { namesOf } from "../../chat/policy/explain.ts"
import type { RoomPolicy } from "../../chat/policy/room-policy.ts"
import { type Decision, readDecision, resolveSilence } from "../../chat/silence/decision.ts"
import type { Think, ThinkInput, ThinkResult } from "../../chat/supervisor/think.ts"
import type { Config } from "../../config/schema.ts"
import type { Models } from "../../llm/choice/models.ts"
import type { FailureKind } from "../../llm/failure.ts"

import type { MemoryWriteCore } from "../../memory/write/prepare.ts"

import { type CallDecision, type GuardedTools, withGuard } from "../../safety/dispatch.ts"
import { toolError } from "../../safety/tool.ts"
import { type ChatDecision, chatAddressedTools, chatReadTools, decideTool } from "../../tools/chat.ts"
import { recordDecision } from "../permissions/record-decision.ts"
import { askChatModel } from "./ask-model.ts"
import type { ChatMedia } from "./chat-media.ts"
import { guidanceFor } from "./feedback/record-feedback.ts"
import { asksToForget, forgetLearned } from "./forget-author.ts"
import { learn, notedIn, statedIn } from "./learn.ts"
import { roomPrompt, systemPrompt } from "./prompts.ts"
import { recallFor } from "./recall-for.ts"
import { type RoomView, viewRoom } from "./room-view.ts"

export interface ThinkNeeds extends MemoryWriteCore {
  models: Models
  policy(room: RoomRef): RoomPolicy
  /** Pictures, videos and GIFs. */
  media: ChatMedia
  /** Forgets an author's messages in all rooms of the community. */
  forgetAuthor(room: RoomRef, author: string): Promise<void>
  /** Called with each prompt. */
  onPrompt?: ((text: string) => void) | undefined
  /** Without a model it stays silent instead of replying that it cannot answer. */
  hasNoModel?: boolean | undefined
  /** Runs work that nothing waits for, such as remembering. */
  inBackground(work: Promise<unknown>): void
}

/** The limits of one run: turns with tools, tool calls, tokens in and out. */
const limits = { steps: 3, calls: 8, tokens: 120_000 }
const maxOutputTokens = 2500

/** Failures after which a retry may help. */
const transientFailures: readonly FailureKind[] = ["overloaded", "timeout", "malformed", "empty"]

/** Asks the model for each run: one bounded conversation that ends in a decision. It posts nothing itself. */
export function openThink(needs: ThinkNeeds): Think {
  return async (input, signal) => {
    const requests = await handleForgetRequests(needs, input)
    if (requests.length > 0 && requests.length === input.messages.length) return confirmForgotten(requests)
    const run = await openRun(needs, input, requests)
    needs.onPrompt?.(run.prompt)
    if (needs.hasNoModel)
      return { outcome: "decided", decision: { action: "silent", reason: "There is no model to ask." } }
    return converse(needs, input, run, signal)
  }
}

/** Asks the model and reads its decision from its tool call, or from its text. */
async function converse(
  needs: ThinkNeeds,
  input: ThinkInput,
  run: Run,
  signal: AbortSignal,
): Promise<ThinkResult> {
  const { usd, end, text, problem } = await askChatModel(
    needs.models,
    {
      system: run.system,
      messages: [{ role: "user", text: run.prompt }],
      ...run.tools,
      limits: { ...limits, wallMs: needs.config.chat.ambient.flush_timeout_seconds * 1000 },
      maxOutputTokens,
      mustCall: true,
      signal,
    },
    "chat.ambient.flush_timeout_seconds",
  )
  const decided = run.decided()
  if (decided === undefined && problem !== undefined)
    return { outcome: mayHelpToRetry(end) ? "failed" : "unavailable", reason: problem, usd }
  const wanted = decided ? decisionOf(decided, run.view) : fromText(text, run.view)
  if (!signal.aborted) needs.inBackground(learnFrom(needs, input, run.view, decided))
  const debug = { shown: run.prompt, raw: decided ? JSON.stringify(decided) : text }
  const withLinks = isAddressed(input) ? wanted : limitReplyLinks(needs, wanted)
  const made = await withMedia(needs, input, withLinks, { offered: run.media, signal })
  return { outcome: "decided", decision: made.decision, usd: usd + made.usd, debug }
}

/** Limits the links of an unasked reply. */
function limitReplyLinks({ config }: ThinkNeeds, decision: Decision): Decision {
  const most = config.chat.initiative.discovery.max_links_per_post
  return decision.action === "reply" ? { ...decision, text: limitLinks(decision.text, most) } : decision
}

/** Makes the media of a reply; if that fails, the text is sent alone. */
async function withMedia(
  { media, log }: ThinkNeeds,
  input: ThinkInput,
  decision: Decision,
  { offered, signal }: { offered: readonly MediaKind[]; signal: AbortSignal },
): Promise<{ decision: Decision; usd: number }> {
  // No media for a reply that turns out to be silence.
  const spoken = resolveSilence(decision)
  if (spoken.action !== "reply" || spoken.media === undefined || signal.aborted)
    return { decision: spoken, usd: 0 }
  const { media: plan, ...words } = spoken
  if (!offered.includes(plan.kind)) return { decision: words, usd: 0 }
  input.extend(media.longestMs + sendMarginMs)
  try {
    const made = await media.make(input.room, plan, "reply", signal)
    if ("attachment" in made) return { decision: { ...words, attachment: made.attachment }, usd: made.usd }
    const text = isAddressed(input) ? `${words.text}\n(I could not get the ${nouns[plan.kind]}.)` : words.text
    return { decision: { ...words, text }, usd: made.usd }
  } catch (error) {
    log.warn("Media for a chat room could not be made.", { kind: plan.kind, reason: messageOf(error) })
    return { decision: words, usd: 0 }
  }
}

/** Time to send the reply, after the longest time that making media may take. */
const sendMarginMs = 30_000
const nouns: Record<MediaKind, string> = { image: "picture", video: "video", gif: "GIF" }

function mayHelpToRetry(end: Awaited<ReturnType<Models["converse"]>>["end"]): boolean {
  return end.reason === "failed" ? transientFailures.includes(end.failure.kind) : end.reason !== "tokens"
}

/** One run: the prompt and the tools. */
interface Run {
  view: RoomView
  tools: GuardedTools
  system: string
  prompt: string
  /** The kinds of media that a reply may have. */
  media: readonly MediaKind[]
  decided(): ChatDecision | undefined
}

async function openRun(
  needs: ThinkNeeds,
  input: ThinkInput,
  requests: readonly ForgetRequest[],
): Promise<Run> {
  const { config, clock } = needs
  const view = viewRoom(input)
  const policy = needs.policy(input.room)
  const mayNote = policy.learns.allowed
  const query = input.messages.map(({ text }) => text).join("\n")
  const isAsked = isAddressed(input)
  const known = await recallFor(needs, policy, input.room, { query, limit: 8, isAsked })
  const told = [
    ...requests.map(
      ({ line }) => `You have just forgotten what ${line.author.name} said, as they asked. Tell them so.`,
    ),
    ...(isAsked ? [] : await guidanceFor(needs, input.room)),
  ]
  const media = policy.postsMedia.allowed
    ? await needs.media.offered(input.room, "reply", input.canAttach)
    : []
  let decided: ChatDecision | undefined
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

/** The bot's names in a room; on IRC also its nick. */
function ownNames(chat: Config["chat"], { platform }: RoomRef): string[] {
  return [...new Set([...namesOf(chat), ...(platform === "irc" ? [chat.irc.nick] : [])])]
}

/** Whether the messages of this run are addressed to us. */
function isAddressed({ kind }: ThinkInput): boolean {
  return kind === "direct" || kind === "follow-up"
}

/** The tools of a run. The guard treats the room as outside text from the start, and nobody can be asked for permission. */
function toolsFor(
  needs: ThinkNeeds,
  input: ThinkInput,
  { view, media }: Pick<Run, "view" | "media">,
  onDecided: (decided: ChatDecision) => void,
): GuardedTools {
  const policy = needs.policy(input.room)
  const tools = [
    decideTool({ canReact: input.canReact, mayNote: policy.learns.allowed, media }, onDecided),
    ...chatReadTools({
      search: (query, limit) => recallFor(needs, policy, input.room, { query, limit, isAsked: true }),
      history: async (limit) => (await input.lookBack(limit)).map(plainLine),
    }),
    ...(isAddressed(input) ? chatAddressedTools(addressedActions(needs, input, view)) : []),
  ]
  return withGuard(
    {
      config: needs.config,
      hasReadUntrusted: true,
      onDecided: (allowed) => journalToolCall(needs, input, allowed),
      ask: async ({ tool }) => toolError(`Not done: ${tool} is not for a chat room.`),
    },
    tools,
  )
}

function plainLine({ author, text, isOurs, isVoice }: Line): string {
  const speaker = isOurs ? "you" : author.name
  return `${isVoice ? "[vc] " : ""}${speaker}: ${shorten(text, 600)}`
}

/** Remembers or forgets for users who address us; only for the messages of this run, each for its own author. */
function addressedActions(needs: ThinkNeeds, input: ThinkInput, view: RoomView) {
  const { room, messages } = input
  const lineOf = (number: number) => {
    const line = view.lineOf(number)
    return line && messages.some(({ id }) => id === line.id) ? line : undefined
  }
  const unknown = toolError(`Not done: name one of the messages that you are to answer.`)
  return {
    async remember(message: number, text: string) {
      const line = lineOf(message)
      if (line === undefined) return unknown
      const said = notedIn([{ line, text }])
      if (said.length === 0)
        return toolError("Not remembered: their message does not say that. Use their own words.")
      const [outcome] = await learn(needs, room, said, [])
      if (outcome === undefined || outcome.outcome === "refused")
        return toolError(`Not remembered: ${outcome?.reason ?? "it is known already"}.`)
      return { text: "Remembered." }
    },
    async forget(message: number) {
      const line = lineOf(message)
      if (line === undefined) return unknown
      const forgotten = await forgetFor(needs, room, line.author.id)
      return { text: `Forgotten: ${forgotten} things, and what they said so far. Tell them so.` }
    },
  }
}

/** Journals each tool call except the decision, which the conversation journals. */
async function journalToolCall(
  needs: ThinkNeeds,
  { room, id, kind }: ThinkInput,
  allowed: CallDecision,
): Promise<void> {
  if (allowed.tool === "decide") return
  const { debug } = needs.config.chat.ambient
  const shown = debug ? { input: shorten(JSON.stringify(allowed.input), 2000) } : {}
  await recordDecision(needs, roomKey(room), allowed, { run: id, kind, ...shown })
}

function decisionOf(given: ChatDecision, view: RoomView): Decision {
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

/** Reads the decision from text that a model wrote instead of calling the tool. */
function fromText(text: string, view: RoomView): Decision {
  const decision = readDecision(text)
  if (decision.action === "reply") return { ...decision, replyTo: view.idOf(decision.replyTo) }
  if (decision.action === "react") return { ...decision, to: view.idOf(decision.to) }
  return decision
}

/** Remembers what people stated, if the policy allows it, and what they asked us to remember. */
async function learnFrom(
  needs: ThinkNeeds,
  input: ThinkInput,
  view: RoomView,
  decided: ChatDecision | undefined,
): Promise<void> {
  const { room, messages, background, history } = input
  try {
    const policy = needs.policy(room)
    const received = [...background, ...messages].filter(({ author }) => !policy.isBlocked(author))
    const notes = (decided?.notes ?? []).flatMap(({ message, text }) => {
      const line = view.lineOf(message)
      return line && received.some(({ id }) => id === line.id) ? [{ line, text }] : []
    })
    const asked = isAddressed(input) ? statedIn(messages, "asked") : []
    const claims = policy.learns.allowed ? [...statedIn(received, "all"), ...notedIn(notes)] : asked
    const ours = history.filter(({ isOurs }) => isOurs)
    await learn(needs, room, claims, ours)
  } catch (error) {
    needs.log.warn("Messages of a chat room could not be remembered.", { reason: messageOf(error) })
  }
}

interface ForgetRequest {
  line: Line
  count: number
}

/** Forgets the messages of users who ask for it in plain words; needs no model. */
async function handleForgetRequests(needs: ThinkNeeds, input: ThinkInput): Promise<ForgetRequest[]> {
  if (!isAddressed(input)) return []
  const names = namesOf(needs.config.chat)
  const requests: ForgetRequest[] = []
  for (const line of input.messages) {
    if (!asksToForget(line.text, names)) continue
    requests.push({ line, count: await forgetFor(needs, input.room, line.author.id) })
  }
  return requests
}

async function forgetFor(needs: ThinkNeeds, room: RoomRef, author: string): Promise<number> {
  const by = { operation: newId(needs.random, "op"), actor: "chat" }
  await needs.forgetAuthor(room, author)
  await deleteResponses(needs.db, room, author, { ...by, at: needs.clock.now() })
  return forgetLearned(needs, room, author, by)
}

function confirmForgotten(requests: readonly ForgetRequest[]): ThinkResult {
  const memories = requests.reduce((sum, one) => sum + one.count, 0)
  const saved =
    memories === 0
      ? "I had saved no memories of it."
      : `That includes ${count(memories, "memory", "memories")}.`
  const text = `Done: I have forgotten what you said here. ${saved}`
  const replyTo = requests.at(-1)?.line.id ?? null
  return {
    outcome: "decided",
    decision: { action: "reply", text, replyTo, reason: "A user asked to have their messages forgotten." },
    usd: 0,
  }
}
