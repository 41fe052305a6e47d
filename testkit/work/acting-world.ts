import { approvedTools } from "../../src/activities/permissions/approved-tools.ts"
import { removeDecidedWorktree } from "../../src/activities/permissions/clean-up.ts"
import { decideOn } from "../../src/activities/permissions/decide.ts"
import { startRunningApproved } from "../../src/activities/permissions/run-approved.ts"
import { enqueue } from "../../src/activities/tend/control.ts"
import type { TrustLevel } from "../../src/attention/trust.ts"
import { silentLog } from "../../src/base/log.ts"
import { localFolder } from "../../src/coding/git/local-folder.ts"
import { findSandbox } from "../../src/coding/work/sandbox/find-sandbox.ts"
import { recentProjects } from "../../src/memory/model/known-projects.ts"
import type { PermissionRequest } from "../../src/safety/permission/request.ts"
import { type Decision, listRequests } from "../../src/safety/permission/requests.ts"
import { type JournalEntry, readJournal } from "../../src/storage/journal.ts"
import type { Sql } from "../../src/storage/sql.ts"
import type { ModelRequest } from "../model-server/asked.ts"
import type { ModelServer } from "../model-server/model-server.ts"
import { serveModel } from "../model-server/serve-model.ts"
import { sqliteDatabase } from "../setup/databases.ts"
import { calls, finishes, openTendWorld } from "../worlds/tend-world.ts"
import { createFailingProject, type FailingProject } from "./failing-project.ts"

type Steps = Parameters<ModelServer["script"]>[0]
type Config = NonNullable<Parameters<typeof openTendWorld>[1]["config"]>

/** So many approved cycles each level needs here: none, or more than there are. */
const steps = {
  observe: { garden_after_cycles: 1000, trusted_after_cycles: 1000 },
  garden: { garden_after_cycles: 0, trusted_after_cycles: 1000 },
  work: { garden_after_cycles: 0, trusted_after_cycles: 0 },
} as const

/** A model that does whatever a test says, on a real repository, trusted so far; and the person who decides. */
export async function openActing({
  level = "garden",
  config = {},
  project = createFailingProject(undefined, "make"),
  knows = true,
}: {
  level?: TrustLevel
  config?: Config
  project?: FailingProject
  knows?: boolean
} = {}) {
  const server = await serveModel()
  // A long call fills the context, and the model is asked to shorten what was said.
  server.aside(({ asked }) =>
    asked.system.includes("You shorten the record") ? { text: "Nothing of note." } : undefined,
  )
  const ambient = { ...steps[level], ...config.ambient }
  const world = await openTendWorld(sqliteDatabase(), { server, config: { ...config, ambient } })
  if (level === "work") world.needs.sandbox = () => findSandbox({ ...world.needs, work: world.config.work })
  if (knows) await world.remember("The sums live in sum.mjs.", { project: project.root, scope: "project" })
  const needs = {
    ...world.needs,
    log: silentLog,
    toolsFor: async (request: PermissionRequest) =>
      approvedTools(world.needs, request, (await world.needs.excluded()).unseen),
    onSettled: (request: PermissionRequest) => removeDecidedWorktree(world.needs, request),
  }
  let begun = false
  const requests = () => listRequests(world.db, world.install, "all")
  const journal = (): Promise<JournalEntry[]> => readJournal(world.db, { limit: 2000 })
  return {
    ...world,
    needs,
    server,
    project,
    world,
    requests,
    journal,
    /** The project's id, as the prompt names it. */
    async id(): Promise<string> {
      for (const one of await recentProjects(world.db, 50))
        if ((await localFolder(world.needs, one)) === project.root) return one
      throw new Error("the project is not known")
    },
    /** Has a cycle in which the model takes these steps, and gives what it was answered after each. */
    async cycle(attack: Steps, asked = "tidy up"): Promise<string[]> {
      const dueAt = world.clock.now()
      const item = { dueAt, priority: "normal", context: asked, project: null, createdBy: "user" } as const
      await world.act((_, by) => enqueue(world.needs, item, by))
      const from = server.requests.length
      server.script([...attack, finishes("Did what I was told.")])
      if (begun) await world.pass(60 * 60_000)
      else await world.start()
      begun = true
      return server.requests.slice(from + 1).map(({ asked }) => lastResult(asked.messages))
    },
    /** Changes a row, as somebody did who has the database. */
    async change(statement: Sql) {
      await world.db.write((transaction) => transaction.run(statement))
    },
    /** The first message of the last cycle. */
    prompt(): string {
      const first = server.requests.at(-1)?.asked.messages[0]
      return first?.role === "user" ? first.text : ""
    },
    async decide(decision: Decision, which?: string) {
      const request = (await requests()).find(({ id, state }) =>
        which === undefined ? state === "pending" : id === which,
      )
      if (request === undefined) throw new Error("nothing was asked")
      const { id, digest } = request
      return decideOn(needs, { id, digest, decision, decider: { who: "owner", from: "cli" } }, world.by())
    },
    /** Lets what was approved run. */
    async runApproved() {
      const stop = startRunningApproved(needs)
      const isOpen = async () =>
        (await requests()).some(({ state }) => state === "approved" || state === "running")
      do {
        await world.clock.advance(100)
        await new Promise((resolve) => setTimeout(resolve, 20))
      } while (await isOpen())
      await stop()
    },
    /** The entries of these kinds, as `kind tool-or-action: reason`. */
    async told(...kinds: string[]): Promise<string[]> {
      const found = (await journal()).filter(({ kind }) => kinds.some((one) => kind.startsWith(one)))
      return found.map(({ kind, data }) => `${kind} ${JSON.stringify(data)}`)
    },
  }
}

function lastResult(messages: ModelRequest["asked"]["messages"]): string {
  const last = messages.at(-1)
  return last?.role === "tool" ? last.results.map(({ text }) => text).join("\n") : ""
}

/** The worktree that a conversation has begun. */
function workIn({ asked }: ModelRequest): string {
  return /Begun as (work_[a-z0-9]+)/.exec(JSON.stringify(asked.messages))?.[1] ?? "work_none"
}

/** A step that calls a tool in the worktree that was begun. */
export function inWork(name: string, input: object) {
  return (request: ModelRequest) => calls(name, { work: workIn(request), ...input })
}
