import { sleep, systemClock } from "../../../src/base/clock.ts"
import type { createSafeFetch } from "../../../src/base/net/safe-fetch/safe-fetch.ts"
import { makeMedia } from "../../../src/chat/media/make-media.ts"
import type { MediaKind } from "../../../src/chat/media/plan.ts"
import type { Purpose } from "../../../src/chat/media/settings.ts"
import { openScreen } from "../../../src/privacy/screen.ts"
import { samples } from "../../media/samples.ts"
import { createSeededRandom } from "../../seeded-random.ts"
import { sqliteDatabase } from "../../setup/databases.ts"
import { createSimulationClock } from "../simulation/clock.ts"
import { configWith, type Sections, type Turn } from "./turn.ts"

const allowed = {
  discovery: { allowed_image_models: ["painter"], allowed_video_models: ["filmer"] },
  media: { gif_provider: "giphy" },
}

interface Wish {
  kind: MediaKind
  purpose?: Purpose
  times?: number
  prompt?: string
  /** How long a server takes for each answer, and how many bytes of a file come. */
  answerMs?: number
  bytes?: number
  rating?: string
}

/** Asks for some media with a server that makes all of it; gives how often it came, what was asked, and the cost. */
async function make(given: Sections, wish: Wish) {
  const {
    kind,
    purpose = "reply",
    times = 1,
    prompt = "a fern",
    answerMs = 0,
    bytes = 20,
    rating = "g",
  } = wish
  const config = configWith(allowed, given)
  const time = createSimulationClock()
  const clock = answerMs > 0 ? time.live() : systemClock
  const asked: { address: string; body: Record<string, unknown> }[] = []
  const db = await sqliteDatabase().open()
  const parts = {
    ...{ db, clock, random: createSeededRandom(1), settings: config.chat.initiative, keyFor: () => "key" },
    screen: openScreen({ clock }, config.privacy),
    fetch: (async (address, { body, signal } = {}) => {
      asked.push({ address, body: body === undefined ? {} : JSON.parse(body) })
      if (answerMs > 0) await sleep(clock, answerMs, signal)
      if (signal?.aborted) return { ok: false, why: "stopped", message: "it was called off" }
      const found = answerTo(new URL(address).pathname, { bytes, rating })
      return { ok: true, status: 200, url: address, headers: new Map(), body: found }
    }) satisfies ReturnType<typeof createSafeFetch>,
  }
  let made = 0
  let usd: number | undefined
  for (let left = times; left > 0; left -= 1) {
    const request = { community: "test/c", purpose, at: clock.now(), signal: new AbortController().signal }
    const making = makeMedia(parts, { kind, prompt }, request)
    if (answerMs > 0) await time.advance(15 * 60_000)
    const came = await making
    if (came.outcome === "made") made += 1
    usd = came.usd
  }
  return { made, usd, asked, hosts: asked.map(({ address }) => new URL(address).host) }
}

function answerTo(path: string, { bytes, rating }: { bytes: number; rating: string }): Uint8Array {
  const file = (start: Uint8Array) => Buffer.concat([start, Buffer.alloc(Math.max(0, bytes - start.length))])
  const json = (value: unknown) => Buffer.from(JSON.stringify(value))
  if (path.endsWith("/images/generations"))
    return json({ data: [{ b64_json: file(samples.png).toString("base64") }] })
  if (path.endsWith("/content")) return file(samples.mp4)
  if (path.includes("/videos")) return json({ id: "v", status: "completed" })
  const url = "https://gifs.example/a.gif"
  if (path === "/v1/gifs/search")
    return json({ data: [{ url: "", rating, images: { original: { url, size: "9" } } }] })
  if (path === "/v2/search")
    return json({ results: [{ itemurl: "", media_formats: { gif: { url, size: 9 } } }] })
  return file(samples.gif)
}

const made = (wish: Wish) => async (given: Sections) => (await make(given, wish)).made
const cost = (wish: Wish) => async (given: Sections) => (await make(given, wish)).usd
const firstHost = (wish: Wish) => async (given: Sections) => (await make(given, wish)).hosts[0] ?? "nobody"
const said = (wish: Wish, name: string) => async (given: Sections) =>
  (await make(given, wish)).asked[0]?.body[name]

const four = (kind: MediaKind): Wish => ({ kind, times: 4 })
const long = "fern ".repeat(300)
async function promptChars(given: Sections): Promise<number> {
  const { asked } = await make(given, { kind: "image", prompt: long })
  return String(asked[0]?.body.prompt).length
}

/** Every setting about media, turned. */
export const mediaTurns: readonly Turn[] = [
  ["discovery.allow_image_posts", made({ kind: "image", purpose: "post" }), [true, 1], [false, 0]],
  ["discovery.allow_video_posts", made({ kind: "video", purpose: "post" }), [true, 1], [false, 0]],
  ["discovery.allow_reply_images", made({ kind: "image" }), [true, 1], [false, 0]],
  ["discovery.allow_reply_videos", made({ kind: "video" }), [true, 1], [false, 0]],
  ["discovery.allow_reply_gifs", made({ kind: "gif" }), [true, 1], [false, 0]],
  ["discovery.max_images_per_day", made(four("image")), [3, 3], [1, 1]],
  ["discovery.max_videos_per_day", made(four("video")), [3, 3], [1, 1]],
  ["discovery.max_gifs_per_day", made(four("gif")), [3, 3], [1, 1]],
  ["discovery.allowed_image_models", said({ kind: "image" }, "model"), [["one"], "one"], [["two"], "two"]],
  ["discovery.allowed_video_models", said({ kind: "video" }, "model"), [["one"], "one"], [["two"], "two"]],
  ["discovery.max_media_prompt_chars", promptChars, [100, 100], [400, 400]],
  [
    "media.image_url",
    firstHost({ kind: "image" }),
    ["", "api.openai.com"],
    ["https://i.example/v1", "i.example"],
  ],
  ["media.image_size", said({ kind: "image" }, "size"), ["", undefined], ["512x512", "512x512"]],
  ["media.image_usd", cost({ kind: "image" }), [0, undefined], [0.04, 0.04]],
  [
    "media.video_url",
    firstHost({ kind: "video" }),
    ["", "api.openai.com"],
    ["https://v.example/v1", "v.example"],
  ],
  ["media.video_seconds", said({ kind: "video" }, "seconds"), [4, "4"], [8, "8"]],
  ["media.video_usd", cost({ kind: "video" }), [0, undefined], [0.5, 0.5]],
  ["media.gif_provider", firstHost({ kind: "gif" }), ["none", "nobody"], ["tenor", "tenor.googleapis.com"]],
  ["media.gif_url", firstHost({ kind: "gif" }), ["", "api.giphy.com"], ["https://g.example", "g.example"]],
  ["media.gif_filter", made({ kind: "gif", rating: "pg-13" }), ["high", 0], ["low", 1]],
  ["media.timeout_seconds", made({ kind: "image", answerMs: 60_000 }), [30, 0], [90, 1]],
  ["media.max_file_mb", made({ kind: "image", bytes: 500_000 }), [0.1, 0], [1, 1]],
]
