import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { estimateTokens } from "../../src/base/text/count-tokens.ts"
import { serveModel } from "../../testkit/model-server/serve-model.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"
import { describeDatabases } from "../../testkit/setup/databases.ts"
import { openRecallWorld } from "../../testkit/worlds/recall-world.ts"

const deploy = "The deploy script needs the staging flag before production"
const prompt = "How do I run the deploy script for production?"
const parts = "alpha beta gamma delta epsilon zeta eta theta".split(" ")

describeDatabases("the settings of recall", (create) => {
  type Settings = NonNullable<Parameters<typeof openRecallWorld>[1]>["config"]

  async function open(recall: NonNullable<Settings>["recall"], memories: readonly string[] = [deploy]) {
    const world = await openRecallWorld(await create(), { config: { recall } })
    for (const memory of memories)
      await world.remember(memory, { project: "shop", verbatim: true, triggers: ["deploy"] })
    return world
  }

  it("enabled: nothing comes up when it is off, for all or in one project", async () => {
    const off = await open({ enabled: false })
    expect(await off.say(prompt)).toEqual([])
    expect((await off.start()).text).toBe("")
    expect(await off.recall.preview(off.session, prompt)).toMatchObject({
      memories: [],
      reason: "it is switched off (recall.enabled in the configuration)",
    })
    const folder = throwawayFolder()
    mkdirSync(join(folder, ".reverie"))
    writeFileSync(join(folder, ".reverie/config.toml"), "[recall]\nenabled = false\n")
    const world = await openRecallWorld(await create())
    await world.remember(deploy)
    expect(await world.say(prompt, { ...world.session, project: folder })).toEqual([])
    expect(await world.say("go on", { ...world.session, project: folder })).toEqual([])
    expect(await world.say(prompt, { ...world.session, id: "codex:two" })).toEqual([deploy])
  })

  it("max_memories and max_tokens: no more comes up at once, and the rest later", async () => {
    const memories = parts.map((word) => `Think of ${word} and ${word.toUpperCase()}${word} there`)
    const many = await open({}, memories)
    expect(await many.say(prompt)).toHaveLength(5)
    const few = await open({ max_memories: 2 }, memories)
    expect(await few.say(prompt)).toHaveLength(2)
    const small = await open({ max_tokens: 100 }, memories)
    const { text, memories: shown } = await small.turn({ kind: "prompt", text: prompt })
    expect(estimateTokens(text)).toBeLessThanOrEqual(100)
    expect(shown.length).toBeGreaterThan(0)
    expect(shown.length).toBeLessThan(5)
    expect((await small.say("go on")).length).toBeGreaterThan(0)
  })

  it("wait_ms: the first prompt gets its memories only if it may wait", async () => {
    expect(await (await open({ wait_ms: 0 })).say(prompt)).toEqual([])
    expect(await (await open({ wait_ms: 150 })).say(prompt)).toEqual([deploy])
  })

  it("look_again_tokens: memory is looked at while an agent works, or not", async () => {
    const failure = {
      kind: "tool" as const,
      name: "shell",
      text: "Error: deploy script needs production flag",
      isError: true,
    }
    for (const [tokens, found] of [
      [0, 0],
      [1500, 1],
    ] as const) {
      const world = await open({ look_again_tokens: tokens })
      await world.say("Make the page blue")
      await world.turn(failure)
      expect(await world.say("go on")).toHaveLength(found)
    }
  })

  it("reset_turns: what came up may come up again after so many prompts", async () => {
    for (const [turns, times] of [
      [50, 1],
      [2, 3],
    ] as const) {
      const world = await open({ reset_turns: turns })
      let seen = 0
      for (let turn = 0; turn < 6; turn += 1) seen += (await world.say(prompt)).length
      expect(seen).toBe(times)
    }
  })

  it("judge and judge_every_turns: a model is asked, seldom or never", async () => {
    for (const [recall, calls] of [
      [{ judge: false }, 0],
      [{ judge_every_turns: 1 }, 4],
      [{ judge_every_turns: 2 }, 2],
    ] as const) {
      const server = await serveModel()
      server.always({ calls: [{ name: "choose_memories", input: { relevant: [] } }] })
      const models = { provider: "local" as const, local_url: `${server.url}/v1`, local_model: "qwen3" }
      const world = await openRecallWorld(await create(), {
        server,
        config: { recall: { wait_ms: 0, ...recall }, models },
      })
      for (const word of parts)
        await world.remember(`Think of ${word} there`, { project: "shop", verbatim: true })
      for (let turn = 0; turn < 4; turn += 1) await world.say(`${prompt} Number ${turn}`)
      expect(server.requests).toHaveLength(calls)
    }
  })
})
