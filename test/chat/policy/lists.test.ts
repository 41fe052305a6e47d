import { expect, test } from "vitest"
import { entriesOf, namesPerson, namesRoom } from "../../../src/chat/policy/lists.ts"
import { mutedPolicy, openPolicy } from "../../../src/chat/policy/room-policy.ts"
import { configSchema } from "../../../src/config/schema.ts"
import { createDraw } from "../../../testkit/draw.ts"
import { createSeededRandom } from "../../../testkit/seeded-random.ts"

const draw = createDraw(createSeededRandom(1))
const word = () => draw.pick(["a", "b", "B", "#c", "c/d", "*x", "İ", "ß"])
const drawRoom = () => ({
  ...{ platform: draw.pick(["p", "Q"]), community: word(), channel: word() },
  thread: draw.pick([null, word()]),
})
const drawList = () =>
  Array.from({ length: draw.number(0, 4) }, () => {
    const { platform, community, channel } = drawRoom()
    return draw.pick([channel, `${platform}/${channel}`, `${platform}/${community}/${channel}`])
  })

test("a list names a room exactly if one of its entries does, in any order and case", () => {
  for (let time = 0; time < 2000; time += 1) {
    const list = drawList()
    const room = drawRoom()
    const named = namesRoom(entriesOf(list), room)
    expect(namesRoom(entriesOf(list.toReversed()), room)).toBe(named)
    expect(list.some((entry) => namesRoom(entriesOf([entry]), room))).toBe(named)
    expect(namesRoom(entriesOf([...list, "*"]), room)).toBe(true)
    expect(namesRoom(entriesOf([...list, room.channel]), room)).toBe(true)
    expect(namesPerson(entriesOf(list), room.platform, { id: "nobody" })).toBe(false)
  }
})

test("a blocked channel is neither answered nor listened to, and a thread has what its channel has", () => {
  for (let time = 0; time < 1000; time += 1) {
    const lists = ["allowed", "blocked", "ambient", "reply", "discovery"] as const
    const policy = Object.fromEntries(lists.map((name) => [`${name}_channels`, drawList()]))
    const { chat } = configSchema.parse({ chat: { ambient: { enabled: draw.pick([true, false]) }, policy } })
    const room = drawRoom()
    const may = openPolicy(chat)(room)
    const verdicts = [
      may.answers.allowed,
      may.listens.allowed,
      may.speaksUnasked.allowed,
      may.startsTopics.allowed,
    ]
    if (namesRoom(entriesOf(chat.policy.blocked_channels), room)) expect(verdicts).not.toContain(true)
    if (may.speaksUnasked.allowed) expect(may.listens.allowed).toBe(true)
    if (may.listens.allowed) expect(may.answers.allowed && chat.ambient.enabled).toBe(true)
    const parent = openPolicy(chat)({ ...room, thread: null })
    if (room.thread !== null && parent.listens.allowed && !verdicts.includes(false))
      expect(may.listens.allowed).toBe(true)
  }
})

test("muted everywhere, nothing is allowed in any room", () => {
  const { chat } = configSchema.parse({
    chat: {
      ambient: { enabled: true },
      policy: { allowed_channels: ["*"], ambient_channels: ["*"], discovery_channels: ["*"] },
    },
  })
  const room = drawRoom()
  expect(openPolicy(chat)(room).startsTopics.allowed).toBe(true)
  const { isBlocked, mayCommand, ...verdicts } = mutedPolicy(openPolicy(chat))(room)
  expect(Object.values(verdicts).filter(({ allowed }) => allowed)).toEqual([])
})
