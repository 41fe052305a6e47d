import { expect, it } from "vitest"
import { hall } from "../../testkit/chat/messages.ts"
import { until } from "../../testkit/manual-clock.ts"
import { samples } from "../../testkit/media/samples.ts"
import { json, serveMedia } from "../../testkit/media/world.ts"
import { serveModel } from "../../testkit/model-server/serve-model.ts"
import { describeDatabases } from "../../testkit/setup/databases.ts"
import { decides, openListenWorld } from "../../testkit/worlds/listen-world.ts"

const minute = 60_000
const fox = { media: { kind: "image", prompt: "a fox in the snow" } }

interface Given {
  policy?: object
  discovery?: object
  media?: object
  status?: number
  wait?: Promise<void>
}

describeDatabases("What is said with a picture, or unasked", (create) => {
  const open = async ({ policy = {}, discovery = {}, media = {}, status = 200, wait }: Given = {}) => {
    const images = await serveMedia(async (_, response) => {
      await wait
      json(response, { data: [{ b64_json: samples.png.toString("base64") }] }, status)
    })
    const server = await serveModel()
    const chat = {
      ambient: { enabled: true },
      policy: { ambient_channels: ["hall"], ...policy },
      initiative: {
        discovery: { allowed_image_models: ["painter"], ...discovery },
        media: { image_url: `${images.base}/v1`, image_usd: 0.04, ...media },
      },
    }
    const world = await openListenWorld(await create(), { server, config: { chat } })
    const asks = async (text = "Reverie, draw a fox") => {
      world.say(text, { mentionsUs: true })
      await world.rests()
    }
    const shown = () => JSON.stringify(server.requests.map(({ body }) => body))
    return { images, server, world, asks, shown }
  }

  it("is posted with its file, costs what it costs, and counts what people say to it", async () => {
    const { images, server, world, asks, shown } = await open()
    server.script([decides("reply", { text: "Here is one.", ...fox })])
    await asks()
    expect(world.posts).toMatchObject([
      { text: "Here is one.", files: [{ name: "picture.png", type: "image/png" }] },
    ])
    expect(Buffer.from(world.posts[0]?.files[0]?.bytes ?? []).equals(samples.png)).toBe(true)
    expect(JSON.parse(images.asked[0]?.body ?? "{}")).toMatchObject({
      model: "painter",
      prompt: "a fox in the snow",
    })
    expect(shown()).toContain("A reply may carry one")
    const [replied] = await world.entries("chat.replied")
    expect(replied?.data).toMatchObject({ hasMedia: true })
    const [noted] = await world.entries("post.noted")
    expect(noted?.data).toMatchObject({ kind: "media", community: "test/c1", posts: ["p1"] })
    const author = { id: "bob", name: "bob", isBot: false }
    world.tell({ ...{ kind: "reaction", room: hall, id: "p1", emoji: "🦊", added: true, at: 1 }, author })
    await world.rests()
    expect(await world.entries("post.responded")).toHaveLength(1)
  })

  it("comes without it where the picture cannot be made, and says so", async () => {
    const { server, world, asks } = await open({ status: 500 })
    server.script([decides("reply", { text: "Here is one.", ...fox })])
    await asks()
    expect(world.posts).toMatchObject([{ text: "Here is one.\n(I could not get the picture.)", files: [] }])
    expect(await world.entries("media.failed")).toHaveLength(1)
  })

  it.each<[string, Given]>([
    ["allow_reply_images is off", { discovery: { allow_reply_images: false } }],
    ["no model is allowed", { discovery: { allowed_image_models: [] } }],
    ["the budget is 0", { discovery: { max_images_per_day: 0 } }],
    ["no_media_channels names the channel", { policy: { no_media_channels: ["test/hall"] } }],
  ])("is not offered and not made where %s", async (_what, given) => {
    const { images, server, world, asks, shown } = await open(given)
    server.script([{ text: JSON.stringify({ action: "reply", text: "No picture.", reason: "r", ...fox }) }])
    await asks()
    expect(world.posts).toMatchObject([{ text: "No picture.", files: [] }])
    expect(images.asked).toEqual([])
    expect(shown()).not.toContain("A reply may carry one")
  })

  it("is made for a decision that the model wrote as text, too", async () => {
    const { server, world, asks } = await open()
    server.script([{ text: JSON.stringify({ action: "reply", text: "Look.", reason: "r", ...fox }) }])
    await asks()
    expect(world.posts).toMatchObject([{ text: "Look.", files: [{ name: "picture.png" }] }])
  })

  it("has more time than a model has", async () => {
    const made = Promise.withResolvers<void>()
    const { server, world, images } = await open({ wait: made.promise, media: { timeout_seconds: 600 } })
    server.script([decides("reply", { text: "Slowly.", ...fox })])
    world.say("Reverie, draw", { mentionsUs: true })
    await until(() => images.asked.length === 1)
    await world.clock.advance(5 * minute)
    made.resolve()
    await world.rests()
    expect(world.posts).toMatchObject([{ text: "Slowly.", files: [{ name: "picture.png" }] }])
    expect(await world.entries("chat.failed")).toEqual([])
  })

  it("has few links where nobody asked, and the model is told how people took it", async () => {
    const { server, world, shown } = await open()
    for (const text of ["one", "two", "three"]) {
      server.script([
        decides("reply", {
          text: `about ${text} https://a.example/1 https://b.example/2 https://c.example/3`,
        }),
      ])
      world.say(text)
      await world.rests()
      await world.clock.advance(2 * minute, world.rests)
    }
    expect(world.posts.map(({ text }) => text.match(/https/g)?.length)).toEqual([2, 2, 2])
    expect(await world.entries("post.noted")).toHaveLength(3)
    await world.clock.advance(13 * 60 * minute, world.rests)
    server.script([decides("silent")])
    world.say("four")
    await world.rests()
    await world.clock.advance(2 * minute, world.rests)
    expect(shown()).toContain("Things you said unasked in this room were ignored 3 of 3 times.")
  })
})
