import type { ChatMessage, RoomRef } from "../../src/chat/channels/channel.ts"
import type { ChatEntryKind, Effect } from "../../src/chat/conversation/effect.ts"
import type { ConversationEvent } from "../../src/chat/conversation/event.ts"
import { reduce } from "../../src/chat/conversation/reduce.ts"
import { conversationSettings } from "../../src/chat/conversation/settings.ts"
import { type ConversationState, newConversation } from "../../src/chat/conversation/state.ts"
import { openPolicy } from "../../src/chat/policy/room-policy.ts"
import type { Decision } from "../../src/chat/silence/decision.ts"
import { type Config, configSchema } from "../../src/config/schema.ts"
import { hall } from "./messages.ts"

type Short = ConversationEvent extends infer E
  ? E extends ConversationEvent
    ? Omit<E, "at" | "chance">
    : never
  : never

/** A chat configuration in which the hall is listened to, with some settings changed. */
export function chatConfig(changes: Record<string, unknown> = {}): Config["chat"] {
  const { ambient = {}, policy = {}, ...rest } = changes as Record<string, object>
  return configSchema.parse({
    chat: {
      ...rest,
      ambient: { enabled: true, ...ambient },
      policy: { ambient_channels: ["hall"], ...policy },
    },
  }).chat
}

/** A conversation to play with by hand: time stands still unless it is told. */
export function script(changes: Record<string, unknown> = {}, room: RoomRef = hall) {
  let chat = chatConfig(changes)
  let state = newConversation(room)
  let at = 1_000_000
  let all: Effect[] = []
  const play = (event: Short, chance = 0.5): Effect[] => {
    const settings = conversationSettings(chat, openPolicy(chat), room)
    const frozen = JSON.stringify(state)
    const before = state
    const result = reduce(state, { ...event, at, chance } as ConversationEvent, settings)
    if (JSON.stringify(before) !== frozen) throw new Error("the reducer changed its input")
    state = JSON.parse(JSON.stringify(result.state))
    all = [...all, ...result.effects]
    return result.effects
  }
  const told = (kind?: ChatEntryKind) =>
    all
      .flatMap((effect) => (effect.kind === "journal" ? [effect.entry] : []))
      .filter((one) => !kind || one.kind === kind)
  return {
    play,
    hear: (message: ChatMessage, chance?: number) =>
      play({ kind: "message", message: { ...message, at, room } }, chance),
    /** The run under way decides. */
    decide(decision: Decision) {
      const run = state.run?.id ?? "none"
      play({ kind: "run-started", run })
      return play({ kind: "run-ended", run, result: { outcome: "decided", decision } })
    },
    fail: (reason = "down", mayRetry = true) =>
      play({ kind: "run-ended", run: state.run?.id ?? "", result: { outcome: "failed", reason, mayRetry } }),
    sent: (...ids: string[]) =>
      play({ kind: "sent", run: state.run?.id ?? "", result: { outcome: "sent", ids }, wasHeldBack: false }),
    wait(ms: number) {
      at += ms
    },
    /** Goes on to the deadline, and lets it pass. */
    toDeadline() {
      const due = all.findLast((effect) => effect.kind === "deadline")
      if (due?.kind !== "deadline" || due.at === null) throw new Error("there is no deadline")
      at = Math.max(at, due.at)
      return play({ kind: "deadline" })
    },
    configure(next: Record<string, unknown>) {
      chat = chatConfig(next)
      return play({ kind: "settings-changed" })
    },
    state: (): ConversationState => state,
    now: () => at,
    told,
    runs: () => all.flatMap((effect) => (effect.kind === "start-run" ? [effect.run] : [])),
    sends: () => all.flatMap((effect) => (effect.kind === "send" ? [effect] : [])),
    effects: () => all,
  }
}

export const say = (text: string): Decision => ({ action: "reply", text, replyTo: null, reason: "asked" })
export const stay: Decision = { action: "silent", reason: "small talk" }
