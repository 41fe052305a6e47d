import type { Config } from "../../config/schema.ts"
import type { RoomRef } from "../channels/channel.ts"
import { namesOf } from "../policy/explain.ts"
import type { RoomPolicy } from "../policy/room-policy.ts"

/** The settings of a conversation in one room; times in milliseconds. */
export function conversationSettings(
  chat: Config["chat"],
  policy: (room: RoomRef) => RoomPolicy,
  room: RoomRef,
) {
  const { ambient, attention } = chat
  return {
    names: namesOf(chat),
    policy: policy(room),
    flushIntervalMs: ambient.flush_interval_seconds * 1000,
    flushMaxMessages: ambient.flush_max_messages,
    flushHardCap: ambient.flush_hard_cap,
    flushTimeoutMs: ambient.flush_timeout_seconds * 1000,
    allowBotMessages: ambient.allow_bot_messages,
    cooldownMs: ambient.cooldown_seconds * 1000,
    contextFlushes: ambient.pool.context_flushes,
    sessionTtlMs: ambient.pool.session_ttl_minutes * 60_000,
    activeMessages: attention.active_messages,
    activeMs: attention.active_minutes * 60_000,
  }
}
export type ConversationSettings = ReturnType<typeof conversationSettings>
