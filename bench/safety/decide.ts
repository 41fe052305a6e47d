import { approvedTools } from "../../src/activities/permissions/approved-tools.ts"
import { startRunningApproved } from "../../src/activities/permissions/run-approved.ts"
import { systemClock } from "../../src/base/clock.ts"
import { silentLog } from "../../src/base/log.ts"
import { newId, systemRandom } from "../../src/base/random.ts"
import { readEnvironment } from "../../src/config/environment.ts"
import { pathsFor } from "../../src/config/paths.ts"
import { configSchema } from "../../src/config/schema.ts"
import { newMemorySchema } from "../../src/memory/model/memory.ts"
import { createProjectFinder } from "../../src/memory/model/project.ts"
import { remember } from "../../src/memory/write/remember.ts"
import { openScreen } from "../../src/privacy/screen.ts"
import { createSourceReader } from "../../src/recall/choose/read-source.ts"
import { contextSchema, type PermissionRequest } from "../../src/safety/permission/request.ts"
import { addRequest, decideRequest, findRequest } from "../../src/safety/permission/requests.ts"
import { openDatabase } from "../../src/storage/open-database.ts"
import type { Bench, Figure } from "../shared/figures.ts"
import { sqliteStores, temporaryFolder } from "../shared/stores.ts"

const decisions = 20
const install = "install_bench"

/** How long it takes from a person's decision to the end of what it lets run. */
export async function measureDeciding(bench: Bench): Promise<Figure[]> {
  const { url } = await sqliteStores(bench).create()
  const clock = systemClock
  const random = systemRandom
  const db = await openDatabase({ url, file: "", clock, random, log: silentLog })
  bench.atEnd(() => db.close())
  const config = configSchema.parse({})
  const screen = openScreen({ clock }, config.privacy)
  const projects = createProjectFinder({ clock })
  const env = readEnvironment({ REVERIE_HOME: temporaryFolder(bench) })
  const needs = {
    ...{ db, clock, random, config, screen, projects, install, env, log: silentLog, embedder: undefined },
    paths: pathsFor(env),
    sourceReader: createSourceReader(db),
  }
  const toolsFor = async (request: PermissionRequest) => approvedTools(needs, request, new Set())
  const stop = startRunningApproved({ ...needs, toolsFor, onSettled: async () => {} })
  const times: number[] = []
  for (let number = 0; number < decisions; number += 1) times.push(await decideOnce(number))
  await stop()
  const sorted = times.toSorted((a, b) => a - b)
  return [
    { id: "decision-to-done-ms", value: sorted[Math.floor(decisions / 2)] ?? 0, unit: "ms", better: "lower" },
    {
      id: "decision-to-done-ms.p95",
      value: sorted[Math.floor(decisions * 0.95)] ?? 0,
      unit: "ms",
      better: "lower",
    },
  ]

  async function decideOnce(number: number): Promise<number> {
    const by = () => ({ operation: newId(random, "op"), actor: "bench" })
    const given = newMemorySchema.parse({ content: `Planted fact number ${number}`, verbatim: true })
    const remembered = await remember(needs, given, by())
    const memory = remembered.outcome === "refused" ? "" : remembered.id
    const asked = {
      ...{
        askedBy: "cycle_bench",
        project: null,
        action: `archive ${number}`,
        description: "x",
        rationale: "x",
      },
      ...{ urgency: "normal" as const, wait: false, context: contextSchema.parse({}) },
      call: { tool: "memory_archive", input: { id: memory, reason: "of no use" } },
      expiresAt: clock.now() + 3_600_000,
    }
    const where = { install, random, now: clock.now() }
    const { id, digest } = await db.write((transaction) => addRequest(transaction, where, asked, by()))
    const begun = performance.now()
    const which = { id, digest, now: clock.now() }
    const owner = { who: "owner", from: "bench" }
    await db.write((transaction) => decideRequest(transaction, which, { kind: "approve" }, owner, by()))
    for (;;) {
      const request = await findRequest(db, install, id)
      if (request?.state === "done") return performance.now() - begun
      if (request?.state === "failed") throw new Error(request.outcome ?? "failed")
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
  }
}
