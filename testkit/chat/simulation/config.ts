import { type Config, configSchema } from "../../../src/config/schema.ts"
import type { Draw } from "../../draw.ts"

/** Settings of chat by chance, within what is allowed. */
export function drawConfig(draw: Draw): Config["chat"] {
  return configSchema.parse({
    chat: {
      ambient: {
        enabled: draw.number(1, 8) > 1,
        flush_interval_seconds: draw.pick([1, 5, 20]),
        flush_max_messages: draw.number(1, 5),
        flush_hard_cap: draw.number(2, 6),
        max_concurrent_flushes: draw.number(1, 2),
        flush_timeout_seconds: draw.pick([5, 10]),
        context_window: draw.pick([0, 5]),
        cooldown_seconds: draw.pick([0, 3]),
        pool: { max_sessions: draw.number(1, 3), context_flushes: draw.number(0, 3) },
      },
      attention: {
        active_messages: draw.number(0, 3),
        active_minutes: draw.pick([0.1, 1]),
        max_concurrent_answers: draw.number(1, 2),
      },
      policy: {
        ambient_channels: draw.pick([["hall"], ["hall", "desk"]]),
        reply_channels: draw.pick([[], [], ["desk"]]),
        discovery_channels: draw.pick([[], ["hall"], ["hall", "desk"]]),
        private_messages: draw.number(1, 6) > 1,
        blocked_users: ["mallory"],
        calls_per_day: draw.pick([8, 1000, 1000]),
      },
    },
  }).chat
}
