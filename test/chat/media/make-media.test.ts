import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { systemClock } from "../../../src/base/clock.ts"
import { systemRandom } from "../../../src/base/random.ts"
import { limitLinks } from "../../../src/chat/discovery/items/canonical-url.ts"
import { findMediaKey, saveMediaKey } from "../../../src/chat/media/keys.ts"
import { type MediaRequest, makeMedia, mediaLeft } from "../../../src/chat/media/make-media.ts"
import { openPendingFiles } from "../../../src/chat/media/pending-files.ts"
import { type MediaPlan, readPlan } from "../../../src/chat/media/plan.ts"
import { totalOf } from "../../../src/llm/ledger.ts"
import { readJournal } from "../../../src/storage/journal.ts"
import { createManualClock, withRealTimers } from "../../../testkit/manual-clock.ts"
import { samples } from "../../../testkit/media/samples.ts"
import { json, mediaSettings, openMediaParts, serveMedia } from "../../../testkit/media/world.ts"
import { throwawayFolder } from "../../../testkit/program/home.ts"
import { createSeededRandom } from "../../../testkit/seeded-random.ts"
import { describeDatabases, sqliteDatabase, type TestDatabase } from "../../../testkit/setup/databases.ts"

const hour = 3_600_000
const image: MediaPlan = { kind: "image", prompt: "a fox" }
type Given = Parameters<typeof mediaSettings>[0]

/** A server that makes pictures at once, unless it is told to wait or to fail. */
async function open(store: TestDatabase, given: Given = {}) {
  const manual = createManualClock()
  const clock = withRealTimers(manual)
  const behaviour: { status: number; wait: Promise<unknown> | undefined } = { status: 200, wait: undefined }
  const { base, asked } = await serveMedia(async ({ path, headers }, response) => {
    await behaviour.wait
    if (behaviour.status !== 200) return void response.writeHead(behaviour.status).end()
    if (path === "/a.gif") return void response.writeHead(200).end(samples.gif)
    if (path.includes("gifs")) {
      const original = { url: `http://${headers.host}/a.gif`, size: "9" }
      return json(response, { data: [{ url: "", rating: "g", images: { original } }] })
    }
    if (path.endsWith("/content")) return void response.writeHead(200).end(samples.mp4)
    if (path.includes("videos")) return json(response, { id: "v", status: "completed" })
    json(response, { data: [{ b64_json: samples.png.toString("base64") }] })
  })
  const urls = {
    image_url: `${base}/v1`,
    video_url: `${base}/v1`,
    gif_url: base,
    gif_provider: "giphy" as const,
  }
  const db = await store.open({ clock, install: "i" })
  const parts = openMediaParts({ db, clock, ...given, media: { ...urls, ...given.media } })
  const request = (changes: Partial<MediaRequest> = {}): MediaRequest => ({
    ...{ community: "test/c", purpose: "reply", at: clock.now(), signal: new AbortController().signal },
    ...changes,
  })
  const make = (plan: MediaPlan = image, changes: Partial<MediaRequest> = {}) =>
    makeMedia(parts, plan, request(changes))
  const left = (changes: Partial<MediaRequest> = {}) => mediaLeft(parts, request(changes))
  return { db, manual, parts, asked, behaviour, make, left }
}

const outcomes = (all: { outcome: string }[]) => all.map(({ outcome }) => outcome)

describeDatabases("The budget for media", (create) => {
  it("is for each community and kind, in the last 24 hours", async () => {
    const { make, left, manual } = await open(await create(), { discovery: { max_images_per_day: 2 } })
    expect(outcomes([await make(), await make(), await make()])).toEqual(["made", "made", "refused"])
    expect(await left()).toEqual({ image: 0, video: 10, gif: 60 })
    expect(await make(image, { community: "test/other" })).toMatchObject({ outcome: "made" })
    expect(await make({ kind: "gif", prompt: "cat" })).toMatchObject({ outcome: "made" })
    await manual.advance(23 * hour)
    expect(await make()).toMatchObject({
      outcome: "refused",
      reason: expect.stringContaining("2 of the kind image"),
    })
    await manual.advance(hour)
    expect(await left()).toMatchObject({ image: 2 })
    expect(await make()).toMatchObject({ outcome: "made" })
  })

  it("is not overspent by many at once, in two processes", async () => {
    const store = await create()
    const { make, parts, asked, db } = await open(store, { discovery: { max_images_per_day: 3 } })
    const other = { ...parts, db: await store.open({ clock: parts.clock }), random: createSeededRandom(2) }
    const request = { community: "test/c", purpose: "reply" as const, at: parts.clock.now() }
    const second = () => makeMedia(other, image, { ...request, signal: new AbortController().signal })
    const all = await Promise.all(Array.from({ length: 10 }, (_, at) => (at % 2 === 0 ? make() : second())))
    expect(outcomes(all).filter((one) => one === "made")).toHaveLength(3)
    expect(asked).toHaveLength(3)
    expect(await readJournal(db, { kind: "media.refused" })).toHaveLength(7)
  })

  it("counts what was reserved although the program died in the middle", async () => {
    const store = await create()
    const { make, behaviour, parts, left } = await open(store, { discovery: { max_images_per_day: 1 } })
    behaviour.wait = new Promise(() => undefined)
    void make().catch(() => undefined)
    await expect.poll(async () => (await left()).image).toBe(0)
    const next = { ...parts, db: await store.open({ clock: parts.clock }), random: createSeededRandom(3) }
    const request = { community: "test/c", purpose: "reply" as const, at: parts.clock.now() }
    expect(await mediaLeft(next, request)).toMatchObject({ image: 0 })
    expect(await makeMedia(next, image, { ...request, signal: new AbortController().signal })).toMatchObject({
      outcome: "refused",
    })
  })

  it("gets back only what certainly was not made", async () => {
    const { make, left, behaviour } = await open(await create(), { discovery: { max_images_per_day: 2 } })
    behaviour.status = 400
    expect(await make()).toMatchObject({ outcome: "refused" })
    expect(await left()).toMatchObject({ image: 2 })
    behaviour.status = 500
    expect(await make()).toMatchObject({ outcome: "refused" })
    expect(await left()).toMatchObject({ image: 1 })
  })

  it("is used up for a day at most when the clock was set back, and no less", async () => {
    const { make, manual, left } = await open(await create(), { discovery: { max_images_per_day: 1 } })
    const now = manual.now()
    expect(await make(image, { at: now + 400 * 24 * hour })).toMatchObject({ outcome: "made" })
    expect(await make(image, { at: now })).toMatchObject({ outcome: "refused" })
    expect(await left({ at: now + 23 * hour })).toMatchObject({ image: 0 })
    expect(await left({ at: now + 24 * hour })).toMatchObject({ image: 1 })
  })

  it("and the ledger know what things cost, where that is known", async () => {
    const { make, db } = await open(await create(), { media: { image_usd: 0.04, video_usd: 0.5 } })
    expect(await make()).toMatchObject({ usd: 0.04 })
    expect(await make({ kind: "video", prompt: "a fox" })).toMatchObject({ usd: 0.5 })
    expect(await make({ kind: "gif", prompt: "cat" })).not.toHaveProperty("usd")
    const total = await totalOf(db, { install: "i", sources: ["chat"] })
    expect(total).toMatchObject({ calls: 2, failed: 0, costUsd: 0.54 })
  })
})

describe("What is made", () => {
  const never = [
    ["allow_reply_images", "image", "reply", { allow_reply_images: false }],
    ["allow_reply_videos", "video", "reply", { allow_reply_videos: false }],
    ["allow_reply_gifs", "gif", "reply", { allow_reply_gifs: false }],
    ["allow_image_posts", "image", "post", { allow_image_posts: false }],
    ["allow_image_posts", "gif", "post", { allow_image_posts: false }],
    ["allow_video_posts", "video", "post", { allow_video_posts: false }],
    ["allowed_image_models", "image", "reply", { allowed_image_models: [] }],
    ["allowed_video_models", "video", "reply", { allowed_video_models: [] }],
    ["used up", "image", "reply", { max_images_per_day: 0 }],
    ["used up", "video", "reply", { max_videos_per_day: 0 }],
    ["used up", "gif", "reply", { max_gifs_per_day: 0 }],
  ] as const
  it.each(never)("is not where %s says no (%s, %s)", async (words, kind, purpose, setting) => {
    const on = await open(sqliteDatabase())
    expect(await on.make({ kind, prompt: "x" }, { purpose })).toMatchObject({ outcome: "made" })
    const off = await open(sqliteDatabase(), { discovery: setting as object })
    expect(await off.make({ kind, prompt: "x" }, { purpose })).toMatchObject({
      ...{ outcome: "refused", reason: expect.stringContaining(words) },
    })
    expect((await off.left({ purpose }))[kind]).toBe(0)
    expect(off.asked).toEqual([])
  })

  it("is made by a model that the list names: the first, or the one that the plan names", async () => {
    const { make, asked } = await open(sqliteDatabase(), { discovery: { allowed_image_models: ["a", "b"] } })
    await make()
    await make({ ...image, model: "b" })
    expect(asked.map(({ body }) => JSON.parse(body).model)).toEqual(["a", "b"])
    expect(await make({ ...image, model: "dear" })).toMatchObject({
      reason: expect.stringContaining("not in"),
    })
    expect(asked).toHaveLength(2)
  })

  it("has a description no longer than max_media_prompt_chars, without hidden characters", async () => {
    const { make, asked } = await open(sqliteDatabase(), { discovery: { max_media_prompt_chars: 100 } })
    await make({ kind: "image", prompt: `fox\u202e\u0000 ${"🦊".repeat(500)}` })
    const { prompt } = JSON.parse(asked[0]?.body ?? "{}")
    expect([...prompt]).toHaveLength(100)
    expect(prompt).toMatch(/^fox +🦊+$/u)
  })

  it.each([
    ["a key", "a poster that says sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH-zZ9_yY8AA"],
    ["a key beyond what is cut off", `${"a fox ".repeat(200)} ghp_16C7e42F292c6912E7710c838347Ae178B4a`],
  ])("never is what a description with %s says", async (_what, prompt) => {
    const { make, asked, db } = await open(sqliteDatabase())
    expect(await make({ kind: "image", prompt })).toMatchObject({ outcome: "refused" })
    expect(asked).toEqual([])
    const [entry] = await readJournal(db, { kind: "media." })
    expect(entry?.kind).toBe("media.refused")
    expect(JSON.stringify(entry)).not.toContain(prompt.slice(-20))
  })

  it("lies on a shelf until it is posted, also for the next process, and for a day", async () => {
    const clock = createManualClock()
    const folder = join(throwawayFolder(), "a media folder")
    const shelf = openPendingFiles({ clock, random: systemRandom }, folder)
    const file = { name: "a.gif", type: "image/gif", bytes: samples.gif, link: "https://gifs.example/1" }
    const id = await shelf.put([file])
    const next = openPendingFiles({ clock, random: systemRandom }, folder)
    expect(
      (await next.find(id)).map(({ bytes, ...rest }) => ({ ...rest, bytes: Buffer.from(bytes) })),
    ).toEqual([file])
    writeFileSync(join(folder, "outside.json"), "[]")
    for (const wrong of ["../a media folder/outside", "media-none", "", id.slice(1)])
      expect(await next.find(wrong)).toEqual([])
    await clock.advance(25 * hour)
    await next.put([])
    expect(await next.find(id)).toEqual([])
  })
})

describe("Keys for media", () => {
  it("come from the environment, then from what was saved; OpenAI's goes to OpenAI alone", async () => {
    const credentialsFile = join(throwawayFolder(), "credentials.json")
    const variables: Record<string, string> = {}
    const env = { variable: (name: string) => variables[name] }
    const find = (name: "image" | "giphy", image_url = "") =>
      findMediaKey(env, credentialsFile, mediaSettings({ media: { image_url } }), name)
    expect(find("image")).toBeUndefined()
    variables.OPENAI_API_KEY = "sk-openai"
    expect(find("image")).toBe("sk-openai")
    expect(find("image", "https://images.example/v1")).toBeUndefined()
    await saveMediaKey({ clock: systemClock, random: systemRandom, credentialsFile }, "image", "saved")
    expect(find("image", "https://images.example/v1")).toBe("saved")
    variables.REVERIE_IMAGE_API_KEY = "given"
    expect(find("image")).toBe("given")
    expect(find("giphy")).toBeUndefined()
  })
})

describe("A plan", () => {
  it.each([
    [
      { kind: "Picture", prompt: " a fox " },
      { kind: "image", prompt: "a fox" },
    ],
    [
      { kind: "gif", prompt: "cat", model: null, extra: 1 },
      { kind: "gif", prompt: "cat" },
    ],
    [
      { kind: "image", prompt: "x", model: "m" },
      { kind: "image", prompt: "x", model: "m" },
    ],
    [{ kind: "music", prompt: "x" }, null],
    [{ kind: "image", prompt: " " }, null],
    ["image", null],
    [null, null],
  ])("is read from what a model wrote: %j", (given, plan) => {
    expect(readPlan(given)).toEqual(plan)
  })
})

describe("Links of something said unasked", () => {
  const text = "See https://a.example/x, (https://b.example/) and https://c.example/y."
  it.each([
    [5, text],
    [3, text],
    [1, "See https://a.example/x, and ."],
    [0, "See , and ."],
  ])("are %i at most", (most, said) => {
    expect(limitLinks(text, most)).toBe(said)
  })
})
