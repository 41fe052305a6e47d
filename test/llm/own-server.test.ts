import { expect, it } from "vitest"
import { silentLog } from "../../src/base/log.ts"
import { readEnvironment } from "../../src/config/environment.ts"
import { pathsFor } from "../../src/config/paths.ts"
import { configSchema } from "../../src/config/schema.ts"
import { openModels } from "../../src/llm/choice/models.ts"
import { createManualClock } from "../../testkit/manual-clock.ts"
import { serveModel } from "../../testkit/model-server/serve-model.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"
import { createSeededRandom } from "../../testkit/seeded-random.ts"
import { describeDatabases } from "../../testkit/setup/databases.ts"
import { plantedKey } from "../../testkit/worlds/model-world.ts"

describeDatabases("A server of the user's own", (create) => {
  const places: [string, string, boolean][] = [
    ["on this machine gets texts as they are", "http://127.0.0.1", true],
    ["on another machine gets texts without secrets", "http://192.0.2.7", false],
  ]
  it.each(places)("%s", async (_, host, getsSecrets) => {
    const server = await serveModel()
    server.script([{ text: "ready" }])
    const { port } = new URL(server.url)
    // There is no other machine in a test: what is sent to one is led here.
    const reroute: typeof fetch = (input, init) =>
      fetch(String(input).replace(host, "http://127.0.0.1"), init)
    const clock = createManualClock()
    const random = createSeededRandom(1)
    const env = readEnvironment({ ...process.env, REVERIE_HOME: throwawayFolder() })
    const models = openModels({
      db: await (await create()).open({ clock, random }),
      clock,
      random,
      log: silentLog,
      env,
      paths: pathsFor(env),
      config: configSchema.parse({ models: { provider: "local", local_url: `${host}:${port}/v1` } }),
      install: "install_test",
      fetch: reroute,
      redact: (text) => text.replaceAll(plantedKey, "[secret]"),
    })
    const answer = await models.ask(
      "judge",
      {
        system: `The key is ${plantedKey}.`,
        messages: [{ role: "user", text: `Use ${plantedKey}.` }],
        tools: [],
        toolChoice: "none",
        maxOutputTokens: 100,
        signal: new AbortController().signal,
      },
      { source: "judge", cycle: null },
    )
    expect(answer).toMatchObject({ outcome: "answered" })
    expect(JSON.stringify(server.requests[0]?.asked).includes(plantedKey)).toBe(getsSecrets)
  })
})
