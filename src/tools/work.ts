import { z } from "zod"
import { spellUnseen } from "../base/text/unseen.ts"
import { localFolder } from "../coding/git/local-folder.ts"
import { openWorkFiles } from "../coding/work/files/files.ts"
import type { Sandbox } from "../coding/work/sandbox/sandbox.ts"
import { runInWorktree, runProjectTests } from "../coding/work/tests/run-tests.ts"
import { commitAll } from "../coding/work/worktree/commit.ts"
import { diffOf, tooLarge } from "../coding/work/worktree/diff.ts"
import { readWorktree } from "../coding/work/worktree/marker.ts"
import type { Worktree } from "../coding/work/worktree/record.ts"
import { createWorktree, removeWorktree } from "../coding/work/worktree/worktree.ts"
import { loadProjectConfig } from "../config/load.ts"
import type { Paths } from "../config/paths.ts"
import type { Config } from "../config/schema.ts"
import type { MemoryCore } from "../memory/model/memory-core.ts"
import { eachText } from "../memory/model/screen-memory.ts"
import { contextSchema } from "../safety/permission/request.ts"
import { defineTool, type Tool, type ToolOutcome, wrong } from "../safety/tool.ts"
import { fenced, fencedLines } from "./fenced.ts"
import type { Wanted } from "./permission.ts"

/** What small changes to code are made with. Everything happens in a worktree, and commands run in the sandbox. */
export interface WorkDesk extends Omit<MemoryCore, "log" | "embedder"> {
  paths: Paths
  install: string
  excluded: ReadonlySet<string>
  cycle: string
  sandbox: Sandbox
  /** The project of each worktree of the cycle, and how its tests went before anything was changed. */
  begun: Map<string, { project: string; before: string; passedBefore: boolean | null }>
  /** Puts a change before the person. */
  ask(wanted: Wanted): Promise<ToolOutcome>
}

const work = z
  .string()
  .regex(/^work_[a-z0-9]+$/)
  .describe("the id that work_begin gave")
const path = z.string().min(1).max(1000).describe("a path inside the worktree")
const longestOutput = 12_000
const longestTestOutput = 4000
/** So many changes may one cycle have in hand. */
const mostBegun = 5

/** Making a small change on a branch of its own, and putting it before the person. */
export function workTools(desk: WorkDesk): Tool[] {
  return [beginTool(desk), ...readTools(desk), ...changeTools(desk), ...runTools(desk), ...endTools(desk)]
}

function beginTool(desk: WorkDesk): Tool {
  return defineTool({
    name: "work_begin",
    description:
      "Begin a small change: makes a worktree of a project on a branch of your own, and runs the project's tests as they are.",
    input: z.object({
      project: z.string().min(4).describe("the project's id, as the prompt names it"),
      subject: z.string().min(3).max(100).describe("what the change is about, in a few words"),
    }),
    tier: "auto",
    readsOutside: true,
    async run({ project, subject }, signal) {
      if (desk.excluded.has(project)) return wrong("That project keeps you out.")
      if (desk.begun.size >= mostBegun)
        return wrong(`Not begun: ${mostBegun} changes are enough for one cycle; finish or drop one.`)
      const folder = await localFolder(desk, project)
      if (folder === undefined) return wrong(`${project} is no repository on this machine.`)
      const { work } = await loadProjectConfig(desk.config, folder)
      const created = await createWorktree(
        { ...desk, work },
        { project: folder, subject: `${subject} ${desk.cycle.slice(-4)}`, base: "HEAD", cycle: desk.cycle },
      )
      if (created.outcome === "refused") return wrong(`Not begun: ${fenced(created.reason)}`)
      const { worktree } = created
      const { plain, text, passed } = await testsOf(desk, worktree, signal)
      desk.begun.set(worktree.id, { project, before: plain, passedBefore: passed })
      return `Begun as ${worktree.id} on ${worktree.branch}. The tests before any change: ${text}`
    },
  })
}

function readTools(desk: WorkDesk): Tool[] {
  return [
    defineTool({
      name: "work_list",
      description: "List the files of a worktree, or of a folder in it.",
      input: z.object({ work, folder: z.string().max(1000).default("") }),
      tier: "auto",
      readsOutside: true,
      run: ({ work, folder }) =>
        inside(desk, work, async ({ root }) => {
          const listed = await openWorkFiles(desk, root).listFiles(folder)
          return listed.outcome === "listed"
            ? fencedLines(listed.paths.join("\n"), longestOutput)
            : wrong(`Not done: ${fenced(listed.reason)}`)
        }),
    }),
    defineTool({
      name: "work_read",
      description: "Read a file of a worktree.",
      input: z.object({ work, path }),
      tier: "auto",
      readsOutside: true,
      run: ({ work, path }) =>
        inside(desk, work, async ({ root }) => {
          const read = await openWorkFiles(desk, root).readFile(path)
          if (read.outcome !== "read") return wrong(`Not done: ${fenced(read.reason)}`)
          return fencedLines(await desk.screen.redact(read.text), 100_000)
        }),
    }),
    defineTool({
      name: "work_search",
      description: "Find lines with a text in the files of a worktree.",
      input: z.object({ work, text: z.string().min(2).max(200), folder: z.string().max(1000).default("") }),
      tier: "auto",
      readsOutside: true,
      run: ({ work, text, folder }) =>
        inside(desk, work, async ({ root }) => {
          const found = await openWorkFiles(desk, root).searchFiles(text, folder)
          if (found.outcome !== "found") return wrong(`Not done: ${fenced(found.reason)}`)
          const lines = found.lines.map((one) => `${one.path}:${one.line}: ${one.text}`)
          return lines.length === 0
            ? "It stands nowhere."
            : fencedLines(await desk.screen.redact(lines.join("\n")), longestOutput)
        }),
    }),
  ]
}

function changeTools(desk: WorkDesk): Tool[] {
  return [
    defineTool({
      name: "work_write",
      description: "Write a whole file of a worktree.",
      input: z.object({ work, path, text: z.string().max(200_000) }),
      tier: "auto",
      effects: ({ work, path }) => [{ kind: "write", path, root: work }],
      run: ({ work, path, text }) =>
        inside(desk, work, async ({ root }) => {
          const written = await openWorkFiles(desk, root).writeFile(path, text)
          return written.outcome === "written"
            ? `Wrote ${path}.`
            : wrong(`Not done: ${fenced(written.reason)}`)
        }),
    }),
    defineTool({
      name: "work_edit",
      description: "Replace a text that stands exactly once in a file of a worktree.",
      input: z.object({ work, path, before: z.string().min(1).max(50_000), after: z.string().max(50_000) }),
      tier: "auto",
      effects: ({ work, path }) => [{ kind: "write", path, root: work }],
      run: ({ work, path, before, after }) =>
        inside(desk, work, async ({ root }) => {
          const edited = await openWorkFiles(desk, root).editFile(path, before, after)
          return edited.outcome === "edited" ? `Edited ${path}.` : wrong(`Not done: ${fenced(edited.reason)}`)
        }),
    }),
  ]
}

function runTools(desk: WorkDesk): Tool[] {
  return [
    defineTool({
      name: "work_run",
      description:
        "Run a command of the shell in a worktree: without network, home or anything outside of it.",
      input: z.object({
        work,
        command: z.string().min(1).max(4000),
        timeout_seconds: z.int().min(1).max(3600).default(120),
      }),
      tier: "auto",
      effects: ({ command }) => [{ kind: "command", command }],
      readsOutside: true,
      run: ({ work, command, timeout_seconds }, signal) =>
        inside(desk, work, async (worktree) => {
          const bounds = { command, timeoutMs: timeout_seconds * 1000, signal }
          const { exitCode, message, output } = await runInWorktree(
            { ...desk, work: await settingsOf(desk, worktree) },
            worktree,
            bounds,
          )
          const how = exitCode === null ? message : `exit code ${exitCode}`
          return `${how}\n${fencedLines(await desk.screen.redact(output), longestOutput)}`
        }),
    }),
    defineTool({
      name: "work_test",
      description: "Run the project's tests in a worktree.",
      input: z.object({ work }),
      tier: "auto",
      readsOutside: true,
      run: ({ work }, signal) =>
        inside(desk, work, async (worktree) => (await testsOf(desk, worktree, signal)).text),
    }),
  ]
}

function endTools(desk: WorkDesk): Tool[] {
  return [
    defineTool({
      name: "work_propose",
      description:
        "Put a finished change before the person: it is committed, tested, and shown to them with its diff. It is pushed only if they approve.",
      input: proposalInput,
      tier: "auto",
      run: (proposal, signal) =>
        inside(desk, proposal.work, (worktree) => propose(desk, worktree, proposal, signal)),
    }),
    defineTool({
      name: "work_drop",
      description: "Give a change up: its worktree and branch are removed.",
      input: z.object({ work }),
      tier: "auto",
      run: ({ work }) =>
        inside(desk, work, async (worktree) => {
          await removeWorktree(desk, worktree, { branch: true })
          desk.begun.delete(work)
          return "Dropped."
        }),
    }),
  ]
}

const proposalInput = z.object({
  work,
  kind: z.enum(["fix_failing_test", "do_todo", "update_docs", "other"]),
  title: z.string().min(5).max(100).describe("the commit's first line"),
  summary: z.string().min(5).max(2000).describe("what it changes and how you know that it is right"),
  rationale: z.string().min(5).max(2000).describe("why the person would want it"),
  risks: z.array(z.string().max(500)).max(10).default([]),
  remote: z.string().max(100).default("origin"),
  urgency: z.enum(["low", "normal", "high"]).default("low"),
  draft_pull_request: z.boolean().default(true),
})
type Proposal = z.infer<typeof proposalInput>

/** Tests, commits and shows a change. What breaks tests that passed before is not shown. */
async function propose(
  desk: WorkDesk,
  worktree: Worktree,
  given: Proposal,
  signal: AbortSignal,
): Promise<ToolOutcome | string> {
  const { project = null, before = "not run", passedBefore = null } = desk.begun.get(worktree.id) ?? {}
  // What is pushed with it is what is shown of it.
  const { title, summary, rationale, risks } = given
  const said = await eachText({ title, summary, rationale, risks }, desk.screen.redact)
  const proposal: Proposal = {
    ...given,
    ...(said as Pick<Proposal, "title" | "summary" | "rationale" | "risks">),
  }
  const work = await settingsOf(desk, worktree)
  const first = await reviewable(desk, worktree, work)
  if (first.problem !== undefined) return wrong(first.problem)
  const after = await testsOf(desk, worktree, signal)
  if (passedBefore === true && after.passed === false)
    return wrong(`Not proposed: the tests passed before and do not pass now. ${after.text}`)
  // The tests are programs of others and may have written files.
  const { diff, problem } = await reviewable(desk, worktree, work)
  if (diff === undefined) return wrong(problem)
  const committed = await commitAll({ ...desk, work }, worktree, `${proposal.title}\n\n${proposal.summary}`)
  if (committed.outcome !== "committed")
    return wrong(
      `Not proposed: ${committed.outcome === "refused" ? fenced(committed.reason) : "nothing was changed"}.`,
    )
  const kept = await reviewable(desk, committed.worktree, work)
  if (kept.diff?.text !== diff.text) return wrong("Not proposed: the files changed while it was prepared.")
  const { branch, base } = committed.worktree
  return desk.ask({
    action: proposal.kind,
    description: proposal.title,
    rationale: proposal.rationale,
    urgency: proposal.urgency,
    wait: true,
    project,
    context: contextSchema.parse({
      summary: proposal.summary,
      risks: proposal.risks,
      planned_steps: [
        `push ${branch} to ${proposal.remote}`,
        ...(proposal.draft_pull_request ? ["open a draft pull request"] : []),
      ],
      files: diff.size.files.map(({ path, added, removed }) => `${path} (+${added} -${removed})`),
      rollback: `Delete the branch ${branch} at ${proposal.remote}; nothing else is touched.`,
      expected_outcome: `The branch ${branch} is at ${proposal.remote}, on top of ${base.slice(0, 12)}.`,
      diff: spellUnseen(await desk.screen.redact(diff.text)),
      tests: await desk.screen.redact(`before: ${before}\nafter: ${after.plain}`),
    }),
    call: {
      tool: "push_branch",
      input: {
        work: worktree.id,
        branch,
        commit: committed.commit,
        remote: proposal.remote,
        draft: proposal.draft_pull_request,
        title: proposal.title,
        body: proposal.summary,
      },
    },
  })
}

type Reviewable = { diff: Found; problem?: undefined } | { diff?: undefined; problem: string }
type Found = Extract<Awaited<ReturnType<typeof diffOf>>, { outcome: "found" }>

/** What a worktree changes, if a person can see all of it and it is small. */
async function reviewable(desk: WorkDesk, worktree: Worktree, work: Config["work"]): Promise<Reviewable> {
  const diff = await diffOf(desk, worktree)
  if (diff.outcome === "refused") return { problem: `Not proposed: ${fenced(diff.reason)}` }
  if (diff.size.files.length === 0) return { problem: "Not proposed: nothing was changed." }
  const large = tooLarge(diff.size, work)
  if (large !== undefined) return { problem: `Not proposed: ${fenced(large)}` }
  if (diff.isCut) return { problem: "Not proposed: it is too long to be shown whole." }
  const added = diff.text.split("\n").filter((line) => line.startsWith("+"))
  for (const line of added)
    if ((await desk.screen.redact(line)) !== line)
      return {
        problem: "Not proposed: it adds what looks like a secret or personal data, which is not shown.",
      }
  return { diff }
}

/** How the project's tests went: in one line, with the end of what they said, and that as the model sees it. */
async function testsOf(
  desk: WorkDesk,
  worktree: Worktree,
  signal: AbortSignal,
): Promise<{ plain: string; text: string; passed: boolean | null }> {
  const ran = await runProjectTests({ ...desk, work: await settingsOf(desk, worktree) }, worktree, { signal })
  if (ran.outcome === "none") return { plain: ran.reason, text: ran.reason, passed: null }
  const output = (await desk.screen.redact(ran.result.output)).slice(-longestTestOutput).trim()
  const how = ran.passed ? "passed" : `failed (${ran.result.message || `exit code ${ran.result.exitCode}`})`
  const first = `${ran.command}: ${how}`
  if (output === "") return { plain: first, text: first, passed: ran.passed }
  return {
    plain: `${first}\n${output}`,
    text: `${first}\n${fencedLines(output, longestTestOutput)}`,
    passed: ran.passed,
  }
}

/** The settings of work, as the project tightens them. */
async function settingsOf({ config }: WorkDesk, { project }: Worktree): Promise<Config["work"]> {
  return (await loadProjectConfig(config, project)).work
}

/** Does something in a worktree that this cycle began. */
async function inside(
  desk: WorkDesk,
  id: string,
  act: (worktree: Worktree) => Promise<ToolOutcome | string>,
): Promise<ToolOutcome | string> {
  const worktree = desk.begun.has(id) ? await readWorktree(desk, id) : undefined
  return worktree === undefined ? wrong(`There is no ${id} that this cycle began.`) : act(worktree)
}
