import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type Client, createClient } from "../../src/api/client.ts"
import type { RequestJson } from "../../src/api/contract/tending-answers.ts"
import { socketFetch } from "../../src/api/socket-fetch.ts"
import { systemRandom } from "../../src/base/random.ts"
import { workFolder } from "../../src/coding/work/worktree/marker.ts"
import { readEnvironment } from "../../src/config/environment.ts"
import { pathsFor } from "../../src/config/paths.ts"
import { git } from "../git-repository.ts"
import type { ModelServer } from "../model-server/model-server.ts"
import type { FailingProject } from "../work/failing-project.ts"
import { playFixer } from "../work/fixer-agent.ts"
import { letTimePass, withStore } from "./kill-tending.ts"

const program = fileURLToPath(new URL("../../bin/reverie", import.meta.url))

interface KillWorkPlan {
  home: string
  project: FailingProject
  server: ModelServer
  kills: number
  onKill?(kills: number): void
}

/** What came of it. */
interface KilledWork {
  kills: number
  /** Decisions that were acknowledged, and those of them that the store does not know. */
  decisions: number
  decisionsLost: string[]
  /** Approved changes that are at the remote; what was pushed without approval, or more than once. */
  pushed: number
  pushedWrongly: string[]
  /** Approved changes that are not at the remote. */
  notPushed: string[]
  /** Worktrees and branches that are left when all is decided. */
  left: string[]
}

/**
 * Kills the daemon with SIGKILL at random moments while it finds a failing test, fixes it, asks, and pushes what is
 * approved; every second change is denied. Then everything is let come to its end and looked at.
 */
export async function killWork(plan: KillWorkPlan): Promise<KilledWork> {
  const decided = new Map<string, "approved" | "denied">()
  prepare(plan)
  playFixer(plan.server)
  for (let kills = 0; kills < plan.kills; kills += 1) {
    const daemon = await start(plan)
    const client = clientOf(plan)
    void killSomewhere(client, daemon.process)
    await live(plan, client, decided, daemon.ended).catch(() => undefined)
    await daemon.ended
    plan.onKill?.(kills + 1)
  }
  return finish(plan, decided)
}

const mostEvents = 25
const longestLifeMs = 10_000

/** Kills a daemon a moment after something that it wrote down: anywhere from its first entry to a push that is done. */
async function killSomewhere(client: Client, daemon: ChildProcess): Promise<void> {
  const over = AbortSignal.timeout(longestLifeMs)
  over.addEventListener("abort", () => daemon.kill("SIGKILL"))
  let events = 1 + Math.floor(systemRandom.next() * mostEvents)
  try {
    for await (const { kind } of client.follow({}, over))
      if (/^(cycle|tool|permission|project|queue)\./.test(kind) && --events === 0) break
  } catch {
    // It lived as long as it may.
  }
  await new Promise((resolve) => setTimeout(resolve, systemRandom.next() * 150))
  daemon.kill("SIGKILL")
}

/** Decides what waits, breaks the project anew when all is decided, and wakes the daemon, until it is gone. */
async function live(
  plan: KillWorkPlan,
  client: Client,
  decided: Map<string, "approved" | "denied">,
  ended: Promise<unknown>,
): Promise<void> {
  let isOver = false
  void ended.then(() => {
    isOver = true
  })
  while (!isOver) {
    const { requests } = await client.inbox({ all: "true" })
    const waiting = requests.filter(({ state }) => state === "pending")
    for (const request of waiting) await decide(client, request, decided)
    const isBusy = requests.some(({ state }) => ["pending", "approved", "running"].includes(state))
    if (waiting.length === 0 && !isBusy) await breakAnew(plan, client, requests.length)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

async function decide(
  client: Client,
  { id, digest }: RequestJson,
  decided: Map<string, "approved" | "denied">,
): Promise<void> {
  const kind = decided.size % 2 === 0 ? "approve" : "deny"
  await client.decide(id, { kind, digest })
  decided.set(id, kind === "approve" ? "approved" : "denied")
}

/** Another commit in which the test still fails, so that there is something to be done again. */
async function breakAnew({ project, home }: KillWorkPlan, client: Client, round: number): Promise<void> {
  const note = `round ${round}\n`
  if (
    project.git("ls-files").includes("round.txt") &&
    project.git("show", "HEAD:round.txt") === note.trim()
  ) {
    await withStore({ url: databaseUrl(home) }, letTimePass)
    await client.wake()
    return
  }
  project.commit({ "round.txt": note })
}

/** What is left after this time is left for good: the comparison names it. */
const mostToFinishMs = 60_000

async function finish(plan: KillWorkPlan, decided: Map<string, "approved" | "denied">): Promise<KilledWork> {
  const daemon = await start(plan)
  const client = clientOf(plan)
  const latest = Date.now() + mostToFinishMs
  try {
    while (Date.now() < latest) {
      const { requests } = await client.inbox({ all: "true" })
      for (const request of requests) if (request.state === "pending") await decide(client, request, decided)
      const isBusy = requests.some(({ state }) => ["pending", "approved", "running"].includes(state))
      const { status } = await client.ambient()
      if (!isBusy && status !== "running" && leftOver(plan).length === 0) break
      await client.pause({})
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
    const { requests } = await client.inbox({ all: "true" })
    return { kills: plan.kills, ...compare(plan, decided, requests) }
  } finally {
    daemon.process.kill("SIGKILL")
    await daemon.ended
  }
}

function compare(
  plan: KillWorkPlan,
  decided: ReadonlyMap<string, "approved" | "denied">,
  requests: readonly RequestJson[],
): Omit<KilledWork, "kills"> {
  const { bare, pushed } = plan.project
  const branches = pushed()
  const approved = requests.filter(({ decision, state }) => decision !== null && state !== "denied")
  const branchOf = ({ call }: RequestJson) => String(call?.input.branch)
  const isKnown = (id: string, what: string) =>
    requests.some(
      (one) => one.id === id && (what === "denied") === (one.state === "denied") && one.decision !== null,
    )
  const wanted = new Set(approved.map(branchOf))
  const oftener = branches.filter(
    (name) => git(bare, "reflog", "show", `refs/heads/${name}`).split("\n").length !== 1,
  )
  return {
    decisions: decided.size,
    decisionsLost: [...decided].filter(([id, what]) => !isKnown(id, what)).map(([id]) => id),
    pushed: branches.length,
    pushedWrongly: [...branches.filter((name) => !wanted.has(name)), ...oftener],
    notPushed: approved
      .filter((one) => !branches.includes(branchOf(one)))
      .map(({ id, outcome }) => `${id}: ${outcome}`),
    left: leftOver(plan),
  }
}

/** Worktrees in git's notes and in our own folder, and branches of ours. */
function leftOver({ project, home }: KillWorkPlan): string[] {
  const folder = workFolder(pathsOf(home))
  const ours = existsSync(folder) ? readdirSync(folder) : []
  return [
    ...project.worktrees(),
    ...ours,
    ...project.git("branch", "--list", "ambient/*").split("\n"),
  ].filter((one) => one !== "")
}

function pathsOf(home: string) {
  return pathsFor(readEnvironment({ REVERIE_HOME: home }))
}

function databaseUrl(home: string): string {
  return `sqlite:${pathsOf(home).databaseFile}`
}

function prepare({ home, server, project }: KillWorkPlan): void {
  git(project.bare, "config", "core.logAllRefUpdates", "always")
  writeFileSync(
    join(home, "config.toml"),
    `
[embedding]
model = "none"
[sessions]
enabled = false
[models]
provider = "local"
local_url = "${server.url}/v1"
local_model = "gardener"
[api]
http = false
[notify]
desktop = "off"
`,
    { mode: 0o600 },
  )
}

function clientOf({ home }: KillWorkPlan): Client {
  return createClient({ fetch: socketFetch(pathsOf(home).socket), random: systemRandom, actor: "bench" })
}

const mostToStartMs = 60_000

async function start({
  home,
  project,
}: KillWorkPlan): Promise<{ process: ChildProcess; ended: Promise<unknown> }> {
  const env = { ...process.env, HOME: home, REVERIE_HOME: home, REVERIE_DATABASE_URL: "" }
  const run = (...args: string[]) => {
    const child = spawn(program, args, { env, cwd: project.root, stdio: "ignore" })
    return new Promise((resolve) => child.on("close", resolve))
  }
  if (!(await isKnown(home))) {
    await run("memory", "add", "The sums live in sum.mjs.")
    await run("trust", "work")
  }
  const child = spawn(program, ["start", "--foreground"], { env, stdio: ["ignore", "ignore", "pipe"] })
  const ended = new Promise((resolve) => child.on("close", resolve))
  let said = ""
  await new Promise<void>((resolve, reject) => {
    child.stderr.on("data", (text) => {
      said += text
      if (said.includes("Ctrl-C")) resolve()
    })
    const notStarted = () => reject(new Error(`the daemon did not start: ${said}`))
    child.on("close", notStarted)
    setTimeout(notStarted, mostToStartMs).unref()
  })
  return { process: child, ended }
}

async function isKnown(home: string): Promise<boolean> {
  try {
    return readdirSync(pathsOf(home).dataDir).includes("reverie.db")
  } catch {
    return false
  }
}
