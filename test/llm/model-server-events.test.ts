import { expect, test } from "vitest"
import { serveModel } from "../../testkit/model-server/serve-model.ts"
import type { AnswerStep } from "../../testkit/model-server/step.ts"

const everything: AnswerStep = {
  thinking: "First one, then the other.",
  text: "Here they come.",
  calls: [
    { name: "look", input: { bed: "north" } },
    { name: "mcp__garden__water", input: { litres: 3 } },
    { name: "patch", input: "*** Begin Patch" },
  ],
}

interface Data {
  type: string
  sequence_number: number
  output_index?: number
  item_id?: string
  item?: { id: string; type: string }
  index?: number
}

/** The events of a stream, each checked to be named as its data says. */
async function eventsOf(path: string, body: object, step: AnswerStep): Promise<Data[]> {
  const server = await serveModel()
  server.next(step)
  const response = await fetch(server.url + path, {
    method: "POST",
    body: JSON.stringify({ ...body, stream: true }),
  })
  expect(response.headers.get("content-type")).toContain("text/event-stream")
  const blocks = (await response.text()).trimEnd().split("\n\n")
  return blocks.map((block) => {
    const [, name, data] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? []
    const parsed: Data = JSON.parse(data ?? "null")
    expect(parsed.type).toBe(name)
    return parsed
  })
}

const tools = [
  { type: "function", name: "look" },
  { type: "namespace", name: "mcp__garden", tools: [{ type: "function", name: "water" }] },
  { type: "custom", name: "patch" },
]

test("Responses: events are numbered, and everything between belongs to an item that was announced", async () => {
  const events = await eventsOf("/v1/responses", { model: "m", input: "hi", tools }, everything)
  expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index))
  expect(events.slice(0, 2).map((event) => event.type)).toEqual(["response.created", "response.in_progress"])
  expect(events.at(-1)?.type).toBe("response.completed")

  const announced = events.filter((event) => event.type === "response.output_item.added")
  const done = events.filter((event) => event.type === "response.output_item.done")
  expect(announced.map((event) => event.output_index)).toEqual([0, 1, 2, 3, 4])
  expect(done.map((event) => event.item?.id)).toEqual(announced.map((event) => event.item?.id))
  for (const event of events.filter((each) => each.item_id !== undefined)) {
    expect(announced[event.output_index ?? -1]?.item?.id).toBe(event.item_id)
  }
})

test("Responses: a call takes the form of its tool", async () => {
  const events = await eventsOf("/v1/responses", { model: "m", input: "hi", tools }, everything)
  const items = events
    .filter((event) => event.type === "response.output_item.done")
    .map((event) => event.item)
  expect(items.slice(2)).toMatchObject([
    { type: "function_call", name: "look", arguments: '{"bed":"north"}' },
    { type: "function_call", name: "water", namespace: "mcp__garden", arguments: '{"litres":3}' },
    { type: "custom_tool_call", name: "patch", input: "*** Begin Patch" },
  ])
})

test("Messages: blocks open, fill and close one after the other", async () => {
  const body = { model: "m", max_tokens: 100, messages: [{ role: "user", content: "hi" }] }
  const events = await eventsOf("/v1/messages", body, everything)
  const kinds = events.map(({ type, index }) => `${type}${index === undefined ? "" : ` ${index}`}`)
  const order = kinds.filter((kind, place) => kind !== kinds[place - 1])
  expect(order).toEqual([
    "message_start",
    "ping",
    ...[0, 1, 2, 3, 4].flatMap((index) => [
      `content_block_start ${index}`,
      `content_block_delta ${index}`,
      `content_block_stop ${index}`,
    ]),
    "message_delta",
    "message_stop",
  ])
})
