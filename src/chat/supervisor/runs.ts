import type { Clock } from "../../base/clock.ts"
import { messageOf } from "../../base/errors.ts"
import type { Channel, ChatMessage } from "../channels/channel.ts"
import type { RunRequest } from "../conversation/effect.ts"
import type { RunOutcome } from "../conversation/event.ts"
import { type Line, lineOf } from "../conversation/state.ts"
import type { RoomPolicy } from "../policy/room-policy.ts"
import type { ChatBudget } from "./budget.ts"
import type { Conversation } from "./conversation.ts"
import type { Slots } from "./slots.ts"
import type { Think, ThinkResult } from "./think.ts"

interface RunNeeds {
  think: Think
  slots: Slots
  budget: ChatBudget
  clock: Clock
  instructions(): string | null
  /** How many earlier messages to show, whether those of bots too, and whether to record prompts. */
  context(): { window: number; allowBots: boolean; debug: boolean }
  policy(room: RunRequest["room"]): RoomPolicy
}

/** Time limit for fetching history: users wait for the answer. */
const historyTimeoutMs = 3000

/** Starts and aborts runs, each with its slot and its signal. */
export function openRuns(needs: RunNeeds) {
  const running = new Map<Conversation, Map<string, (reason: string) => void>>()

  const start = (conversation: Conversation, channel: Channel, request: RunRequest): void => {
    const stopping = new AbortController()
    let release = () => {}
    const end = () => {
      release()
      const own = running.get(conversation)
      own?.delete(request.id)
      if (own?.size === 0) running.delete(conversation)
    }
    const own = running.get(conversation) ?? new Map()
    running.set(conversation, own.set(request.id, stop))
    function stop(reason: string): void {
      stopping.abort(new Error(reason))
      end()
    }
    release = needs.slots.take(request.kind, () => {
      conversation.post({ kind: "run-started", run: request.id })
      void ask(conversation, channel, request, stopping.signal).finally(end)
    })
    if (!running.get(conversation)?.has(request.id)) release()
  }
  const ask = async (
    conversation: Conversation,
    channel: Channel,
    request: RunRequest,
    signal: AbortSignal,
  ): Promise<void> => {
    const failed = (reason: string, mayRetry: boolean) =>
      conversation.post({
        kind: "run-ended",
        run: request.id,
        result: { outcome: "failed", reason, mayRetry },
      })
    const budget = needs.budget.take(request.room, needs.clock.now())
    if (budget.outcome === "refused") return failed(budget.reason, false)
    conversation.count({ calls: 1 })
    try {
      // The call is stored before it is made, so that a crash cannot lose it.
      await conversation.save()
      const earlier = await earlierLines(channel, request)
      if (signal.aborted) return
      const asked = {
        ...{ ...request, earlier, instructions: needs.instructions() },
        canReact: channel.capabilities.reactions,
        canAttach: channel.capabilities.files && (channel.mayAttach?.(request.room) ?? true),
        extend: (ms: number) => conversation.post({ kind: "run-extended", run: request.id, ms }),
        lookBack: (limit: number) => shownLines(channel, request, limit),
      }
      const result = await needs.think(asked, signal)
      // Its cost counts even if the run was aborted meanwhile.
      recordCost(conversation, result.usd ?? 0)
      if (!signal.aborted) postResult(conversation, request.id, result)
    } catch (error) {
      if (!signal.aborted) failed(messageOf(error), true)
    }
  }
  const postResult = (conversation: Conversation, run: string, thought: ThinkResult) => {
    const result: RunOutcome =
      thought.outcome === "decided"
        ? { ...thought, debug: needs.context().debug ? thought.debug : undefined }
        : { outcome: "failed", reason: thought.reason, mayRetry: thought.outcome === "failed" }
    conversation.post({ kind: "run-ended", run, result })
  }
  const recordCost = (conversation: Conversation, usd: number) => {
    conversation.count({ microUsd: Math.round(usd * 1e6) })
    needs.budget.spend(conversation.room, needs.clock.now(), usd)
  }
  /** Fills a short history from the platform. */
  const earlierLines = async (channel: Channel, request: RunRequest): Promise<Line[]> => {
    const { window } = needs.context()
    const { history, background, messages } = request
    const missing = window - history.length
    if (missing <= 0 || !channel.capabilities.history) return []
    const known = new Set([...history, ...background, ...messages].map(({ id }) => id))
    const fetched = await shownLines(channel, request, missing + known.size)
    const first = Math.min(...[...background, ...messages].map(({ at }) => at))
    return fetched.filter((one) => !known.has(one.id) && one.at <= first).slice(-missing)
  }
  /** Earlier messages that a model may see: not those of blocked users or of authors who asked to be forgotten. */
  const shownLines = async (
    channel: Channel,
    { room, forgotten }: RunRequest,
    limit: number,
  ): Promise<Line[]> => {
    if (!channel.capabilities.history) return []
    const { allowBots } = needs.context()
    const policy = needs.policy(room)
    const fetched = await inTime(channel.history(room, { limit }))
    return fetched
      .filter(({ author }) => !policy.isBlocked(author))
      .filter(({ isOurs, author }) => isOurs || allowBots || !author.isBot)
      .filter(({ author, at }) => !forgotten.some((one) => one.author === author.id && at <= one.at))
      .map(lineOf)
  }
  const inTime = (history: Promise<ChatMessage[]>) =>
    new Promise<ChatMessage[]>((resolve) => {
      const cancel = needs.clock.after(historyTimeoutMs, () => resolve([]))
      void history
        .catch(() => [])
        .then((found) => {
          cancel()
          resolve(found)
        })
    })
  return {
    start,
    /** Ends a run at once and frees its slot, even if the model still works. */
    abort(conversation: Conversation, run: string, reason: string): void {
      running.get(conversation)?.get(run)?.(reason)
    },
    abortAll(conversation: Conversation, reason: string): void {
      for (const stop of [...(running.get(conversation)?.values() ?? [])]) stop(reason)
    },
  }
}
