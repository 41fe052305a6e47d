import { join } from "node:path"
import { expect, it } from "vitest"
import { killTending } from "../../testkit/crash/kill-tending.ts"
import { serveModel } from "../../testkit/model-server/serve-model.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"

it("killed at random moments of its cycles, the daemon loses nothing, does nothing twice and comes to its end", async () => {
  const home = throwawayFolder()
  const server = await serveModel()
  const killed = await killTending({ home, url: `sqlite:${join(home, "kills.db")}`, server, kills: 6 })
  expect(killed).toMatchObject({ kills: 6, lost: [], twice: [], faults: [] })
  expect(killed.cycles).toBeGreaterThan(6)
}, 240_000)
