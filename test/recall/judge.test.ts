import { expect, it } from "vitest"
import { usageByDay } from "../../src/llm/ledger.ts"
import type { ModelRequest } from "../../testkit/model-server/asked.ts"
import { serveModel } from "../../testkit/model-server/serve-model.ts"
import type { AnswerStep } from "../../testkit/model-server/step.ts"
import { describeDatabases } from "../../testkit/setup/databases.ts"
import { openRecallWorld } from "../../testkit/worlds/recall-world.ts"

const deploy = "The deploy script needs the staging flag before production"
const rollback = "A production deploy is rolled back by the previous tag"
const prompt = "How do I run the deploy script for production?"

/** Votes for the candidates that hold a text, wherever they stand in the list. */
function voteFor(relevant: string[], irrelevant: string[] = []) {
  return ({ asked }: ModelRequest): AnswerStep => {
    const last = asked.messages.at(-1)
    const lines = last?.role === "user" ? last.text.split("\n") : []
    const numbers = (texts: string[]) =>
      texts.flatMap((text) =>
        lines.filter((line) => line.includes(text)).map((line) => Number.parseInt(line, 10)),
      )
    const input = { relevant: numbers(relevant), irrelevant: numbers(irrelevant) }
    return { calls: [{ name: "choose_memories", input }] }
  }
}

describeDatabases("the judge", (create) => {
  async function open(config = {}) {
    const server = await serveModel()
    const world = await openRecallWorld(await create(), {
      server,
      config: {
        models: { provider: "local", local_url: `${server.url}/v1`, local_model: "qwen3" },
        recall: { wait_ms: 0, ...config },
      },
    })
    await world.remember(deploy, { project: "shop" })
    await world.remember(rollback, { project: "shop" })
    return { ...world, server }
  }

  it("lets only what two votes in opposite orders agree on come up", async () => {
    const world = await open()
    world.server.script([voteFor(["staging flag", "rolled back"]), voteFor(["rolled back"])])
    await world.say(prompt)
    expect(await world.say("go on")).toEqual([rollback])
    const lists = world.server.requests.map(({ asked }) => {
      const [first] = asked.messages
      const text = first?.role === "user" ? first.text : ""
      return [text.indexOf("staging flag") < text.indexOf("rolled back"), asked.tools.map(({ name }) => name)]
    })
    const tools = ["choose_memories", "read_source", "search_sessions"]
    expect(lists).toEqual([
      [true, tools],
      [false, tools],
    ])
  })

  it("may say that nothing matters, with one call", async () => {
    const world = await open()
    world.server.script([voteFor([])])
    await world.say(prompt)
    expect(await world.say("go on")).toEqual([])
  })

  it("puts every call into the ledger as its own", async () => {
    const world = await open()
    world.server.script([voteFor(["staging flag"]), voteFor(["staging flag"])])
    await world.say(prompt)
    expect(await usageByDay(world.db, { install: "install_test" }, 0)).toMatchObject([
      { source: "judge", model: "qwen3", calls: 2, failed: 0 },
    ])
  })

  it("is asked at every third prompt, and when the subject changes", async () => {
    const world = await open({ judge_every_turns: 3 })
    world.server.always(voteFor([]))
    const counts: number[] = []
    for (const text of [
      prompt,
      "And the deploy script?",
      "Deploy script again",
      "Deploy script, production",
      "go on",
    ]) {
      await world.say(text)
      counts.push(world.server.requests.length)
    }
    expect(counts).toEqual([1, 1, 1, 2, 2])
    await world.say("New task: which colour has the deploy page of production?")
    expect(world.server.requests).toHaveLength(3)
  })

  it("gets at least fifty candidates where there are as many", async () => {
    const world = await open()
    const words = "ash birch cedar elm fir hazel larch maple oak pine".split(" ")
    for (let number = 0; number < 60; number += 1)
      await world.remember(
        `The ${words[number % 10]} service number ${number} has a deploy script for production`,
        {
          project: "shop",
          verbatim: true,
        },
      )
    world.server.script([voteFor([])])
    await world.say(prompt)
    const [first] = world.server.requests[0]?.asked.messages ?? []
    const lines = first?.role === "user" ? first.text.match(/^\d+\. /gm) : []
    expect(lines?.length).toBeGreaterThanOrEqual(50)
  })

  it("looks deeper where it wants to, reading only", async () => {
    const world = await open()
    await world.remember("The deploy script for production is called ship", {
      project: "shop",
      sessionId: "codex:old",
      messageIndex: 1,
    })
    const [project] = await world.db.read<{ id: string }>({ parts: ["select id from projects"], values: [] })
    await world.db.write(async (transaction) => {
      await transaction.run({
        parts: [
          "insert into sessions (id, install, tool, native_id, project, started_at, updated_at, status, status_at, turns, extracted_turns, details) values ('codex:old', 'i', 'codex', 'old', ",
          ", 0, 0, 'closed', 0, 2, 0, '{}')",
        ],
        values: [project?.id ?? ""],
      })
      await transaction.run({
        parts: [
          "insert into turns (session, position, role, at, text, details) values ('codex:old', 0, 'user', 0, 'We renamed it from launch to ship', '{}'), ('codex:old', 1, 'assistant', 0, 'Noted, the harbour frees it', '{}')",
        ],
        values: [],
      })
    })
    const numberOf = ({ asked }: ModelRequest) => {
      const [first] = asked.messages
      const line =
        first?.role === "user" ? first.text.split("\n").find((one) => one.includes("called ship")) : ""
      return Number.parseInt(line ?? "", 10)
    }
    world.server.script([
      (request) => ({ calls: [{ name: "read_source", input: { number: numberOf(request) } }] }),
      { calls: [{ name: "search_sessions", input: { words: "harbour" } }] },
      { calls: [{ name: "choose_memories", input: { relevant: [] } }] },
    ])
    await world.say(prompt)
    const results = world.server.requests.flatMap(({ asked }) =>
      asked.messages.flatMap((message) =>
        message.role === "tool" ? message.results.map(({ text }) => text) : [],
      ),
    )
    expect(results[0]).toContain("We renamed it from launch to ship")
    expect(results.at(-1)).toContain("the harbour frees it")
  })

  it("leaves it to the gate when it fails, and is left alone after three failures", async () => {
    const world = await open({ judge_every_turns: 1 })
    world.server.always({ fail: 400, message: "broken" })
    await world.say(prompt)
    expect((await world.say("go on")).length).toBeGreaterThan(0)
    await world.say("Deploy script for production")
    const tried = world.server.requests.length
    await world.say("Deploy script for production, please")
    await world.say("Deploy script for production, at last")
    expect(world.server.requests).toHaveLength(tried)
    await world.clock.advance(5 * 60_000)
    await world.say("Deploy script for production, now")
    expect(world.server.requests.length).toBeGreaterThan(tried)
  })

  it("counts a model that talks instead of choosing as a failure", async () => {
    const world = await open()
    world.server.script([{ text: "I think the first one." }])
    await world.say(prompt)
    expect((await world.say("go on")).length).toBeGreaterThan(0)
  })

  it("believes what is verified a little more, what is beside the point a little less, and undoes both", async () => {
    const world = await open()
    const kept = await world.remember("Deploy script colours are blue", { project: "shop", confidence: 0.5 })
    const doubted = await world.remember("A deploy of the other kind needs no script", {
      project: "shop",
      confidence: 0.5,
    })
    const vote = voteFor(["colours are blue"], ["of the other kind"])
    world.server.script([vote, vote])
    await world.say(prompt)
    const confidence = async ({ id = "" }: { id?: string }) => {
      const [row] = await world.db.read<{ confidence: number; version: number }>({
        parts: ["select confidence, version from memories where id = ", ""],
        values: [id],
      })
      return [row?.confidence, row?.version]
    }
    expect(await confidence(kept as { id: string })).toEqual([0.53, 1])
    expect(await confidence(doubted as { id: string })).toEqual([0.49, 1])
    const [entry] = await world.journal("memory.verified")
    await world.undo(entry?.operation)
    expect(await confidence(kept as { id: string })).toEqual([0.5, 1])
    expect(await confidence(doubted as { id: string })).toEqual([0.5, 1])
  })
})
