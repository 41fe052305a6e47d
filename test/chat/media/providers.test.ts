import type { ServerResponse } from "node:http"
import { describe, expect, it } from "vitest"
import { type Clock, systemClock } from "../../../src/base/clock.ts"
import { makeMedia } from "../../../src/chat/media/make-media.ts"
import type { MediaPlan } from "../../../src/chat/media/plan.ts"
import { readJournal } from "../../../src/storage/journal.ts"
import { pour } from "../../../testkit/hostile/hostile-server.ts"
import { samples } from "../../../testkit/media/samples.ts"
import { type AskedOf, json, openMediaParts, serveMedia } from "../../../testkit/media/world.ts"
import { sqliteDatabase } from "../../../testkit/setup/databases.ts"

type Answer = (asked: AskedOf, response: ServerResponse) => void
type Changes = Omit<Parameters<typeof openMediaParts>[0], "db">

async function open(answer: Answer, changes: Changes = {}) {
  const { base, asked } = await serveMedia(answer)
  const db = await sqliteDatabase().open()
  const media = {
    ...{ image_url: `${base}/v1`, video_url: `${base}/v1`, gif_provider: "giphy" as const, gif_url: base },
    ...changes.media,
  }
  const parts = openMediaParts({ db, ...changes, media })
  const make = (plan: MediaPlan, signal = new AbortController().signal) =>
    makeMedia(parts, plan, { community: "test/c", purpose: "reply", at: systemClock.now(), signal })
  const ends = async () =>
    (await readJournal(db, { kind: "media." })).filter(({ kind }) => kind !== "media.reserved")
  return { base, asked, db, make, ends }
}

/** Pauses take no time, and are over all the same; what is given up after a minute or more is given up then. */
function hastyClock(): Clock {
  let ahead = 0
  return {
    now: () => systemClock.now() + ahead,
    after(ms, run) {
      if (ms >= 60_000) return systemClock.after(ms, run)
      ahead += ms
      const soon = setImmediate(run)
      return () => clearImmediate(soon)
    },
  }
}

const fox: MediaPlan = { kind: "image", prompt: "a fox in the snow" }
const walk: MediaPlan = { kind: "video", prompt: "a fox walks" }
const cat: MediaPlan = { kind: "gif", prompt: "happy cat" }
const b64 = { data: [{ b64_json: samples.png.toString("base64") }] }

describe("A picture", () => {
  it("is made by a server that answers like OpenAI's, with the key and the model", async () => {
    const { make, asked } = await open((_, response) => json(response, b64), {
      media: { image_size: "512x512", image_usd: 0.04 },
    })
    const made = await make(fox)
    expect(made).toMatchObject({
      outcome: "made",
      usd: 0.04,
      files: [{ name: "picture.png", type: "image/png" }],
    })
    expect(made.outcome === "made" && Buffer.from(made.files[0]?.bytes ?? []).equals(samples.png)).toBe(true)
    expect(asked[0]).toMatchObject({ method: "POST", path: "/v1/images/generations" })
    expect(asked[0]?.headers.authorization).toBe("Bearer sk-image")
    expect(JSON.parse(asked[0]?.body ?? "")).toEqual({
      ...{ model: "painter", prompt: "a fox in the snow", n: 1, size: "512x512" },
    })
  })

  it("is fetched from the address that the answer gives, without the key", async () => {
    const { make, asked } = await open(({ path, headers }, response) => {
      if (path === "/file") return void response.writeHead(200).end(samples.png)
      json(response, { data: [{ url: `http://${headers.host}/file` }] })
    })
    expect(await make(fox)).toMatchObject({ outcome: "made" })
    expect(asked[1]).toMatchObject({ path: "/file" })
    expect(asked[1]?.headers.authorization).toBeUndefined()
  })

  it.each([
    ["a private address", "http://10.0.0.1/file", "private"],
    ["the address where clouds keep credentials", "http://169.254.169.254/latest", "credentials"],
    ["a file of this machine", "file:///etc/passwd", "not an http"],
    ["another server on this machine", "http://[::1]:9999/x", "private"],
  ])("is not fetched from %s, and counts as spent", async (_what, url, words) => {
    const { make, ends } = await open((_, response) => json(response, { data: [{ url }] }))
    const made = await make(fox)
    expect(made.outcome === "refused" ? made.reason : "").toContain(words)
    expect(await ends()).toMatchObject([{ kind: "media.failed", data: { counts: true } }])
  })

  it.each<[string, Answer, boolean]>([
    [
      "says to wait (429)",
      (_, response) => void response.writeHead(429, { "retry-after": "60" }).end(),
      false,
    ],
    ["refuses what is asked (400)", (_, response) => json(response, { error: {} }, 400), false],
    ["has trouble (500)", (_, response) => void response.writeHead(500).end(), true],
    ["answers with broken JSON", (_, response) => void response.writeHead(200).end('{"data":[{"b64'), true],
    ["answers with nothing in it", (_, response) => json(response, { data: [] }), true],
    ["answers with a web page", (_, response) => json(response, { data: [{ b64_json: "PGh0bWw+" }] }), true],
    [
      "redirects what was sent",
      (_, response) => void response.writeHead(307, { location: "/else" }).end(),
      false,
    ],
    ["never ends its answer", (_, response) => void pour(response, "x".repeat(65_536)), true],
    [
      "gives a file that is too large",
      (_, response) =>
        json(response, {
          data: [{ b64_json: Buffer.concat([samples.png, Buffer.alloc(120_000)]).toString("base64") }],
        }),
      true,
    ],
  ])("is none where the server %s", async (_what, answer, isSpent) => {
    const { make, ends } = await open(answer, { media: { max_file_mb: 0.1 } })
    expect(await make(fox)).toMatchObject({ outcome: "refused" })
    expect(await ends()).toMatchObject([{ kind: "media.failed", data: { counts: isSpent } }])
  })

  it("is given up after timeout_seconds, and when it is called off", async () => {
    const { make, ends } = await open(() => undefined, { media: { timeout_seconds: 1 } })
    expect(await make(fox)).toMatchObject({ outcome: "refused" })
    const stopping = new AbortController()
    const slow = await open(() => stopping.abort(), { media: { timeout_seconds: 900 } })
    expect(await slow.make(fox, stopping.signal)).toMatchObject({ outcome: "refused" })
    for (const one of [ends, slow.ends])
      expect(await one()).toMatchObject([{ kind: "media.failed", data: { counts: true } }])
  })

  it("is asked for nowhere without a key, nor over http beyond this machine", async () => {
    const open1 = await open(() => undefined, { keys: {}, media: { image_url: "https://images.example/v1" } })
    expect(await open1.make(fox)).toMatchObject({ reason: expect.stringContaining("no key") })
    const open2 = await open(() => undefined, { media: { image_url: "http://images.example/v1" } })
    expect(await open2.make(fox)).toMatchObject({ reason: expect.stringContaining("must use https") })
    expect(await open2.ends()).toMatchObject([{ data: { counts: false } }])
  })
})

describe("A video", () => {
  const jobs =
    (states: string[]): Answer =>
    ({ method, path }, response) => {
      if (path.endsWith("/content")) return void response.writeHead(200).end(samples.mp4)
      const status = method === "POST" ? "queued" : (states.shift() ?? "completed")
      json(response, { id: "video_1", object: "video", status, error: null })
    }

  it("is ordered, waited for and fetched", async () => {
    const { make, asked } = await open(jobs(["in_progress"]), {
      clock: hastyClock(),
      media: { video_seconds: 8 },
    })
    const made = await make(walk)
    expect(made).toMatchObject({ outcome: "made", files: [{ name: "video.mp4", type: "video/mp4" }] })
    expect(asked.map(({ method, path }) => `${method} ${path}`)).toEqual([
      ...[
        "POST /v1/videos",
        "GET /v1/videos/video_1",
        "GET /v1/videos/video_1",
        "GET /v1/videos/video_1/content",
      ],
    ])
    expect(JSON.parse(asked[0]?.body ?? "")).toEqual({ model: "filmer", prompt: "a fox walks", seconds: "8" })
    expect(asked.every(({ headers }) => headers.authorization === "Bearer sk-video")).toBe(true)
  })

  it.each<[string, Answer]>([
    ["fails", jobs(["failed"])],
    [
      "names an order that is a path",
      (_, response) => json(response, { id: "../../keys", status: "queued" }),
    ],
    [
      "does not say how it stands",
      ({ method }, response) =>
        method === "POST"
          ? json(response, { id: "v", status: "queued" })
          : void response.writeHead(200).end("soon"),
    ],
    [
      "gives a page instead",
      ({ path }, response) =>
        path.endsWith("/content")
          ? void response.writeHead(200, { "content-type": "video/mp4" }).end("<html>")
          : json(response, { id: "v", status: "completed" }),
    ],
    [
      "never ends the file",
      ({ path }, response) =>
        path.endsWith("/content")
          ? void pour(response, samples.mp4)
          : json(response, { id: "v", status: "completed" }),
    ],
    ["never comes to an end", (_, response) => json(response, { id: "v", status: "in_progress" })],
  ])(
    "is none where the server %s, and counts",
    async (_what, answer) => {
      const { make, ends } = await open(answer, {
        clock: hastyClock(),
        media: { timeout_seconds: 60, max_file_mb: 0.1 },
      })
      expect(await make(walk)).toMatchObject({ outcome: "refused" })
      expect(await ends()).toMatchObject([{ kind: "media.failed", data: { counts: true } }])
    },
    30_000,
  )
})

describe("A GIF", () => {
  const file = (base: string, name = "a.gif", size: number | string = "100") => ({
    url: `${base}/${name}`,
    size,
  })
  const giphyOf = (base: string, rating = "g", original = file(base)) => ({
    ...{ id: "1", url: "https://giphy.example/gifs/1", rating, images: { original } },
  })
  const giphy =
    (found: (base: string) => unknown[]): Answer =>
    ({ path, headers }, response) => {
      if (path.endsWith(".gif")) return void response.writeHead(200).end(samples.gif)
      if (path !== "/v1/gifs/search") return void response.writeHead(200).end("<html>")
      json(response, { data: found(`http://${headers.host}`) })
    }

  it("is looked for with the key and the filter, and comes with its link", async () => {
    const { make, asked } = await open(giphy((base) => [giphyOf(base)]))
    expect(await make(cat)).toMatchObject({
      outcome: "made",
      files: [{ type: "image/gif", link: "https://giphy.example/gifs/1" }],
    })
    const query = Object.fromEntries(asked[0]?.query ?? [])
    expect(query).toMatchObject({ api_key: "giphy-key", q: "happy cat", rating: "g" })
    expect(asked[1]?.query.get("api_key")).toBeNull()
  })

  it("is none that the filter forbids, although the server gives it", async () => {
    const answer = giphy((base) => [giphyOf(base, "r"), giphyOf(base, "pg-13"), giphyOf(base, "")])
    expect(await (await open(answer)).make(cat)).toMatchObject({ outcome: "refused" })
    const { make, asked } = await open(answer, { media: { gif_filter: "low" } })
    expect(await make(cat)).toMatchObject({ outcome: "made" })
    expect(asked[0]?.query.get("rating")).toBe("pg-13")
  })

  it("is another one where the first cannot be had, is too large or is none", async () => {
    const answer = giphy((base) => [
      giphyOf(base, "g", file(base, "page")),
      giphyOf(base, "g", file("http://10.0.0.1")),
      giphyOf(base, "g", file(base, "big.gif", 90_000_000)),
      giphyOf(base),
    ])
    const { make, asked } = await open(answer)
    expect(await make(cat)).toMatchObject({ outcome: "made" })
    expect(asked.some(({ path }) => path === "/big.gif")).toBe(false)
  })

  it("comes from Tenor's kind of server too", async () => {
    const answer: Answer = ({ path, headers }, response) => {
      if (path === "/a.gif") return void response.writeHead(200).end(samples.gif)
      const base = `http://${headers.host}`
      const media_formats = { gif: file(base, "big.gif", 50_000_000), tinygif: file(base, "a.gif", 9) }
      json(response, { results: [{ id: "1", itemurl: "https://tenor.example/1", media_formats }] })
    }
    const { make, asked } = await open(answer, { media: { gif_provider: "tenor", gif_filter: "medium" } })
    expect(await make(cat)).toMatchObject({ outcome: "made", files: [{ link: "https://tenor.example/1" }] })
    expect(asked[0]?.path).toBe("/v2/search")
    expect(Object.fromEntries(asked[0]?.query ?? [])).toMatchObject({
      key: "tenor-key",
      contentfilter: "medium",
    })
  })

  it.each<[string, Answer]>([
    ["has none", giphy(() => [])],
    ["says to wait", (_, response) => void response.writeHead(429).end()],
    ["answers with broken JSON", (_, response) => void response.writeHead(200).end("{")],
    ["never ends its answer", (_, response) => void pour(response, "[".repeat(65_536))],
  ])("is none where the finder %s", async (_what, answer) => {
    const { make } = await open(answer)
    expect(await make(cat)).toMatchObject({ outcome: "refused" })
  })
})
