import { expect, it } from "vitest"
import { findCandidates } from "../../src/activities/tend/scout/candidates.ts"
import { createRepository } from "../../testkit/git-repository.ts"
import { serveModel } from "../../testkit/model-server/serve-model.ts"
import { describeDatabases } from "../../testkit/setup/databases.ts"
import { openTendWorld } from "../../testkit/worlds/tend-world.ts"

describeDatabases("What could be worth doing", (create) => {
  it("is what a person marked in a source or a text, and no line of data", async () => {
    const world = await openTendWorld(await create(), { server: await serveModel() })
    const repository = createRepository()
    repository.commit({
      "src/ports.ts": "// TODO: close the socket\nexport const port = 5433\n",
      "data/prompts.jsonl": '{"text":"TODO: write the report"}\n',
      "data/tasks.csv": "1,TODO: buy milk\n",
      "public/bundle.js": `${"x();".repeat(200)} // TODO: inline\n`,
    })
    await world.remember("The port is 5433", { project: repository.root })
    const titles = (await findCandidates(world.needs, new Set())).map(({ title }) => title)
    expect(titles).toEqual(["src/ports.ts: // TODO: close the socket"])
  })
})
