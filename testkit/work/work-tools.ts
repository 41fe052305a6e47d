import { systemClock } from "../../src/base/clock.ts"
import { findSandbox } from "../../src/coding/work/sandbox/find-sandbox.ts"
import { readEnvironment } from "../../src/config/environment.ts"
import { pathsFor } from "../../src/config/paths.ts"
import { selectMemories } from "../../src/memory/model/store/store.ts"
import type { ToolOutcome } from "../../src/safety/tool.ts"
import { sql } from "../../src/storage/sql.ts"
import type { PermissionDraft } from "../../src/tools/permission.ts"
import { workTools } from "../../src/tools/work.ts"
import { throwawayFolder } from "../program/home.ts"
import type { TestDatabase } from "../setup/databases.ts"
import { openMemoryWorld } from "../worlds/memory-world.ts"

/** The tools by which a model works on a project, with the machine's own sandbox; what is proposed is kept. */
export async function openWorkTools(store: TestDatabase, folder: string) {
  const world = await openMemoryWorld(store)
  await world.remember("It is a project.", { project: folder, scope: "project" })
  const [memory] = await selectMemories(world.db, sql`true`)
  const project = memory?.project ?? ""
  const env = readEnvironment({ REVERIE_HOME: throwawayFolder(), HOME: throwawayFolder() })
  const paths = pathsFor(env)
  const found = await findSandbox({ clock: systemClock, paths, work: world.config.work })
  if (found.outcome === "missing") throw new Error(found.reason)
  const proposed: PermissionDraft[] = []
  const tools = workTools({
    ...world,
    paths,
    install: "install_test",
    excluded: new Set(),
    cycle: "cycle_test",
    sandbox: found.sandbox,
    begun: new Map(),
    async ask(wanted): Promise<ToolOutcome> {
      proposed.push(wanted)
      return { text: "Asked." }
    },
  })
  const call = async (name: string, input: object) => {
    const checked = tools.find(({ shape }) => shape.name === name)?.check(input)
    if (checked === undefined || "problem" in checked) return checked?.problem ?? "no tool"
    return (await checked.run(new AbortController().signal)).text
  }
  /** Begins a change; its id, or what was said instead. */
  const begin = async () => {
    const said = await call("work_begin", { project, subject: "a change" })
    return /Begun as (work_[a-z0-9]+)/.exec(said)?.[1] ?? said
  }
  const propose = (work: string) =>
    call("work_propose", {
      work,
      kind: "other",
      title: "A change",
      summary: "It changes something.",
      rationale: "It is better.",
    })
  return { call, begin, propose, proposed, project, paths }
}
