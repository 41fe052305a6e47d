import { expect, it } from "vitest"
import { killWork } from "../../testkit/crash/kill-work.ts"
import { serveModel } from "../../testkit/model-server/serve-model.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"
import { createFailingProject } from "../../testkit/work/failing-project.ts"

it("killed at random moments, the daemon pushes nothing twice, leaves no worktree and loses no decision", async () => {
  const server = await serveModel()
  const killed = await killWork({
    home: throwawayFolder(),
    project: createFailingProject(undefined, "make"),
    server,
    kills: 5,
  })
  expect(killed.decisions).toBeGreaterThan(0)
  expect(killed).toMatchObject({ kills: 5, decisionsLost: [], pushedWrongly: [], notPushed: [], left: [] })
}, 240_000)
