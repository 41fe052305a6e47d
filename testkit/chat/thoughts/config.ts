import { type Config, configSchema } from "../../../src/config/schema.ts"
import type { Draw } from "../../draw.ts"

/** Settings of thoughts of its own by chance, within what is allowed; rooms are quick, so that much happens in a life. */
export function drawThoughtConfig(draw: Draw, hasMedia: boolean): Config["chat"] {
  const isQuiet = draw.number(1, 3) === 1
  return configSchema.parse({
    chat: {
      ambient: { enabled: draw.number(1, 4) === 1, flush_interval_seconds: 5, flush_timeout_seconds: 5 },
      attention: { active_messages: draw.number(0, 2), active_minutes: draw.pick([1, 10]) },
      policy: {
        ambient_channels: ["hall"],
        discovery_channels: draw.pick([["hall"], ["hall", "desk"], ["hall", "desk"], []]),
        blocked_users: ["mallory"],
        calls_per_day: draw.pick([5, 1000, 1000]),
        ...(hasMedia ? { no_media_channels: draw.pick([[], [], ["desk"]]) } : {}),
      },
      initiative: {
        text: {
          enabled: draw.number(1, 10) > 1,
          execution: draw.number(1, 12) > 1 ? "inherit" : "disabled",
          eagerness: draw.pick([100, 100, 100, 95, 0]),
          min_minutes_between_posts: draw.pick([1, 3, 20, 180]),
          max_posts_per_day: draw.pick([0, 1, 2, 3, 3]),
          hold_hours: draw.pick([0.25, 1, 6]),
          timeout_seconds: draw.pick([5, 120, 600]),
          ...(isQuiet ? drawQuietHours(draw) : {}),
        },
        ...(hasMedia ? drawMedia(draw) : {}),
      },
    },
  }).chat
}

function drawQuietHours(draw: Draw) {
  const [quiet_start, quiet_end] = draw.pick([
    ["22:00", "07:00"],
    ["01:30", "03:30"],
    ["12:00", "13:00"],
  ] as const)
  const zones = ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"]
  return { quiet_start, quiet_end, time_zone: draw.pick(zones) }
}

function drawMedia(draw: Draw) {
  const perDay = () => draw.pick([0, 1, 1, 2, 3])
  return {
    discovery: {
      ...{ allowed_image_models: ["painter"], allowed_video_models: ["filmer"] },
      ...{ max_images_per_day: perDay(), max_videos_per_day: perDay(), max_gifs_per_day: perDay() },
    },
    media: { gif_provider: "giphy", timeout_seconds: draw.pick([5, 60, 180, 900]) },
  }
}
