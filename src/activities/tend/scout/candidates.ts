import { createHash } from "node:crypto"
import { count, shorten } from "../../../base/text/text.ts"
import { localFolder } from "../../../coding/git/local-folder.ts"
import { askGit, runGit } from "../../../git/run-git.ts"
import { projectNames, recentProjects } from "../../../memory/model/known-projects.ts"
import type { MemoryCore } from "../../../memory/model/memory-core.ts"
import { isSecretFile } from "../../../privacy/files/secret-files.ts"
import { denialsOf } from "../../../safety/permission/requests.ts"
import { listSessions } from "../../../sessions/sessions.ts"

/** Something that could be worth doing. */
export interface Candidate {
  /** Identifies it, so that it is suggested only once. */
  key: string
  kind: "fix_failing_test" | "do_todo" | "update_docs"
  project: string
  title: string
  reasons: string[]
  score: number
}

/** The last test result of a project, and its commit. */
export interface TestResult {
  head: string
  passed: boolean | null
  output: string
}

interface CandidateSources extends MemoryCore {
  install: string
  /** Runs a project's tests in the sandbox; undefined if that is not possible. */
  runTests?(project: string, folder: string, head: string): Promise<TestResult | undefined>
}

const dayMs = 86_400_000
const mostProjects = 5
const mostCandidates = 5
const bounds = { timeoutMs: 10_000, mostBytes: 2 * 1024 * 1024 }

/** Possible work in the projects that the user is active in, the best first. */
export async function findCandidates(
  needs: CandidateSources,
  unseen: ReadonlySet<string>,
): Promise<Candidate[]> {
  const found: Candidate[] = []
  for (const { project, interest, why } of await activeProjects(needs, unseen)) {
    const folder = await localFolder(needs, project)
    const head = folder === undefined ? undefined : await askGit(folder, "rev-parse", "HEAD")
    if (folder === undefined || head === undefined) continue
    const here = { needs, project, folder, head, interest, why }
    found.push(...(await failingTests(here)), ...(await newTodos(here)), ...(await staleDocs(here)))
  }
  const wanted: Candidate[] = []
  for (const one of found.toSorted((a, b) => b.score - a.score)) {
    const denied = await denialsOf(needs.db, {
      install: needs.install,
      action: one.kind,
      project: one.project,
    })
    if (denied.length < 2) wanted.push(one)
  }
  return wanted.slice(0, mostCandidates)
}

interface ProjectContext {
  needs: CandidateSources
  project: string
  folder: string
  head: string
  interest: number
  why: string
}

/** Projects by recent activity: sessions of the last two weeks, then memories. */
async function activeProjects(
  { db, install, clock }: CandidateSources,
  unseen: ReadonlySet<string>,
): Promise<{ project: string; interest: number; why: string }[]> {
  const since = clock.now() - 14 * dayMs
  const sessions = await listSessions(db, { install, updatedSince: since, limit: 200 })
  const counts = new Map<string, number>()
  for (const { project } of sessions) if (project) counts.set(project, (counts.get(project) ?? 0) + 1)
  for (const project of await recentProjects(db, mostProjects))
    if (!counts.has(project)) counts.set(project, 0)
  const names = await projectNames(db, [...counts.keys()])
  return [...counts]
    .filter(([project]) => !unseen.has(project))
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, mostProjects)
    .map(([project, times]) => {
      const name = names.get(project) ?? project
      const lately =
        times === 0 ? "something is remembered of it" : `${count(times, "session")} there in two weeks`
      return { project, interest: 1 + Math.log2(1 + times), why: `${name}: ${lately}` }
    })
}

function candidate(
  { project, interest, why }: ProjectContext,
  { about, ...work }: Omit<Candidate, "project" | "key"> & { about: string },
): Candidate {
  const key = createHash("sha256").update(`${project}\0${work.kind}\0${about}`).digest("hex").slice(0, 16)
  return { ...work, key, project, score: work.score * interest, reasons: [...work.reasons, why] }
}

/** Failing tests at the current commit. */
async function failingTests(here: ProjectContext): Promise<Candidate[]> {
  const tested = await here.needs.runTests?.(here.project, here.folder, here.head)
  if (tested?.passed !== false) return []
  const excerpt = shorten(tellingLines(tested.output), 300)
  return [
    candidate(here, {
      kind: "fix_failing_test",
      about: tested.head,
      title: "The tests fail",
      reasons: [`the tests fail at ${tested.head.slice(0, 12)}: ${excerpt}`],
      score: 3,
    }),
  ]
}

/** The last lines of the output, without stack locations. */
function tellingLines(output: string): string {
  const lines = output.split("\n").map((line) => line.trim())
  const isLocation = (line: string) => /^(?:at |file:|Node\.js v|\^+$)/.test(line)
  return lines
    .filter((line) => line !== "" && !isLocation(line))
    .slice(-6)
    .join(" / ")
}

const todoLine = /^\+(?!\+\+).*\b(?:TODO|FIXME)\b[:\s(]/

/** Data files and generated files: a TODO there is not a person's. */
const dataFile =
  /\.(?:jsonl?|ndjson|geojson|ipynb|csv|tsv|parquet|xml|svg|po|lock|snap|map|log|sql|diff|patch|min\.\w+)$|(?:^|\/)(?:package-lock\.json|go\.sum)$/i
/** Longer lines are not written by hand. */
const longestLine = 500

function isWritten(file: string, line: string): boolean {
  return line.length <= longestLine && !dataFile.test(file) && !isSecretFile(file)
}

/** TODOs that were added in the commits of the last two weeks and are still there. */
async function newTodos(here: ProjectContext): Promise<Candidate[]> {
  const args = [
    "--since=2.weeks",
    "--no-merges",
    "--max-count=50",
    "-p",
    "--unified=0",
    "--format=",
    "-G(TODO|FIXME)",
    "HEAD",
  ]
  const { code, text } = await runGit(here.folder, "log", args, bounds)
  if (code !== 0) return []
  let file = ""
  const added = new Map<string, string>()
  for (const line of text.split("\n")) {
    if (line.startsWith("+++ b/")) file = line.slice("+++ b/".length)
    else if (todoLine.test(line) && isWritten(file, line)) added.set(line.slice(1).trim(), file)
  }
  const open: string[] = []
  for (const [todo, where] of added) {
    const still = await runGit(here.folder, "grep", ["-q", "-F", "-e", todo, "HEAD", "--", where], bounds)
    if (still.code === 0) open.push(`${where}: ${todo}`)
  }
  return open.slice(0, 3).map((todo) => {
    return candidate(here, {
      kind: "do_todo",
      about: todo,
      title: shorten(here.needs.screen.redactSync(todo), 200),
      reasons: ["it was added in the last two weeks"],
      score: 1,
    })
  })
}

/** Documents that mention files which were deleted in the last three months. */
async function staleDocs(here: ProjectContext): Promise<Candidate[]> {
  const log = ["--since=3.months", "--diff-filter=D", "--name-only", "--format=", "--max-count=200", "HEAD"]
  const { code, text } = await runGit(here.folder, "log", log, bounds)
  if (code !== 0) return []
  const gone = [...new Set(text.split("\n").filter((file) => file.includes("/") && file.length > 5))].slice(
    0,
    50,
  )
  const found: Candidate[] = []
  for (const file of gone) {
    const isBack = await runGit(here.folder, "cat-file", ["-e", `HEAD:${file}`], bounds)
    if (isBack.code === 0) continue
    const named = await runGit(here.folder, "grep", ["-l", "-F", "-e", file, "HEAD", "--", "*.md"], bounds)
    const docs = named.text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => line.replace(/^HEAD:/, ""))
    if (docs.length === 0) continue
    const title = `${docs[0]} names ${file}, which was deleted`
    found.push(
      candidate(here, {
        kind: "update_docs",
        about: `${docs[0]} ${file}`,
        title,
        reasons: ["the document is stale"],
        score: 1.5,
      }),
    )
  }
  return found.slice(0, 3)
}
