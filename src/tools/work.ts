import { z } from "zod"
import { escapeInvisible } from "../base/text/invisible.ts"
import { localFolder } from "../coding/git/local-folder.ts"
import { openWorkFiles } from "../coding/work/files/files.ts"
import type { Sandbox } from "../coding/work/sandbox/sandbox.ts"
import { runInWorktree, runProjectTests } from "../coding/work/tests/run-tests.ts"
import { commitAll } from "../coding/work/worktree/commit.ts"
import { diffOf, tooLarge } from "../coding/work/worktree/diff.ts"
import { readWorktree, removeWorktree } from "../coding/work/worktree/marker.ts"
import type { Worktree } from "../coding/work/worktree/record.ts"
import { createWorktree } from "../coding/work/worktree/worktree.ts"
import { loadProjectConfig } from "../config/load.ts"
import type { Paths } from "../config/paths.ts"
import type { Config } from "../config/schema.ts"
import type { MemoryCore } from "../memory/model/memory-core.ts"
import { cleanDeep } from "../memory/model/screen-memory.ts"
import { contextSchema } from "../safety/permission/request.ts"
import type { Effect } from "../safety/tier.ts"
import { defineTool, type Tool, type ToolOutcome, toolError } from "../safety/tool.ts"
import { fenced, fencedLines } from "./fenced.ts"
import type { PermissionDraft } from "./permission.ts"

/** What the tools for small code changes work with. Changes are made in a worktree; commands run in the sandbox. */
export interface WorkToolContext extends Omit<MemoryCore, "log" | "embedder"> {
  paths: Paths
  install: string
  excluded: ReadonlySet<string>
  cycle: string
  sandbox: Sandbox
  /** The worktrees of the cycle: their project, and the result of its tests before any change. */
  begun: Map<string, { project: string; before: string; passedBefore: boolean | null }>
  /** Proposes a change to a person. */
  ask(wanted: PermissionDraft): Promise<ToolOutcome>
}

const work = z
  .string()
  .regex(/^work_[a-z0-9]+$/)
  .describe("the id that work_begin gave")
const path = z.string().min(1).max(1000).describe("a path inside the worktree")
const longestOutput = 12_000
const longestTestOutput = 4000
/** The most changes that one cycle may have in progress. */
const mostBegun = 5

/** Tools that make a small change on its own branch and propose it to a person. */
export function workTools(needs: WorkToolContext): Tool[] {
  return [
    beginTool(needs),
    ...readTools(needs),
    ...changeTools(needs),
    ...runTools(needs),
    ...endTools(needs),
  ]
}

function beginTool(needs: WorkToolContext): Tool {
  return defineTool({
    name: "work_begin",
    description:
      "Begin a small change: makes a worktree of a project on a branch of your own, and runs the project's tests as they are.",
    input: z.object({
      project: z.string().min(4).describe("the project's id, as the prompt names it"),
      subject: z.string().min(3).max(100).describe("what the change is about, in a few words"),
    }),
    tier: "auto",
    readsUntrusted: true,
    async run({ project, subject }, signal) {
      if (needs.excluded.has(project)) return toolError("That project excludes models.")
      if (needs.begun.size >= mostBegun)
        return toolError(`Not begun: ${mostBegun} changes are enough for one cycle; finish or drop one.`)
      const folder = await localFolder(needs, project)
      if (folder === undefined) return toolError(`${project} is not a repository on this machine.`)
      const { work } = await loadProjectConfig(needs.config, folder)
      const created = await createWorktree(
        { ...needs, work },
        { project: folder, subject: `${subject} ${needs.cycle.slice(-4)}`, base: "HEAD", cycle: needs.cycle },
      )
      if (created.outcome === "refused") return toolError(`Not begun: ${fenced(created.reason)}`)
      const { worktree } = created
      const { plain, text, passed } = await testsOf(needs, worktree, signal)
      needs.begun.set(worktree.id, { project, before: plain, passedBefore: passed })
      return `Begun as ${worktree.id} on ${worktree.branch}. The tests before any change: ${text}`
    },
  })
}

function readTools(needs: WorkToolContext): Tool[] {
  return [
    tool(needs, {
      name: "work_list",
      description: "List the files of a worktree, or of a folder in it.",
      fields: { folder: z.string().max(1000).default("") },
      readsUntrusted: true,
      async run({ root }, { folder }) {
        const listed = await openWorkFiles(needs, root).listFiles(folder)
        return listed.outcome === "listed"
          ? fencedLines(listed.paths.join("\n"), longestOutput)
          : toolError(`Not done: ${fenced(listed.reason)}`)
      },
    }),
    tool(needs, {
      name: "work_read",
      description: "Read a file of a worktree.",
      fields: { path },
      readsUntrusted: true,
      async run({ root }, { path }) {
        const read = await openWorkFiles(needs, root).readFile(path)
        if (read.outcome !== "read") return toolError(`Not done: ${fenced(read.reason)}`)
        return fencedLines(await needs.screen.redact(read.text), 100_000)
      },
    }),
    tool(needs, {
      name: "work_search",
      description: "Find lines with a text in the files of a worktree.",
      fields: { text: z.string().min(2).max(200), folder: z.string().max(1000).default("") },
      readsUntrusted: true,
      async run({ root }, { text, folder }) {
        const found = await openWorkFiles(needs, root).searchFiles(text, folder)
        if (found.outcome !== "found") return toolError(`Not done: ${fenced(found.reason)}`)
        const lines = found.lines.map((one) => `${one.path}:${one.line}: ${one.text}`)
        return lines.length === 0
          ? "Nothing was found."
          : fencedLines(await needs.screen.redact(lines.join("\n")), longestOutput)
      },
    }),
  ]
}

function changeTools(needs: WorkToolContext): Tool[] {
  return [
    tool(needs, {
      name: "work_write",
      description: "Write a whole file of a worktree.",
      fields: { path, text: z.string().max(200_000) },
      effects: ({ work, path }) => [{ kind: "write", path, root: work }],
      async run({ root }, { path, text }) {
        const written = await openWorkFiles(needs, root).writeFile(path, text)
        return written.outcome === "written"
          ? `Wrote ${path}.`
          : toolError(`Not done: ${fenced(written.reason)}`)
      },
    }),
    tool(needs, {
      name: "work_edit",
      description: "Replace a text that stands exactly once in a file of a worktree.",
      fields: { path, before: z.string().min(1).max(50_000), after: z.string().max(50_000) },
      effects: ({ work, path }) => [{ kind: "write", path, root: work }],
      async run({ root }, { path, before, after }) {
        const edited = await openWorkFiles(needs, root).editFile(path, before, after)
        return edited.outcome === "edited"
          ? `Edited ${path}.`
          : toolError(`Not done: ${fenced(edited.reason)}`)
      },
    }),
  ]
}

function runTools(needs: WorkToolContext): Tool[] {
  return [
    tool(needs, {
      name: "work_run",
      description:
        "Run a command of the shell in a worktree: without network, home or anything outside of it.",
      fields: {
        command: z.string().min(1).max(4000),
        timeout_seconds: z.int().min(1).max(3600).default(120),
      },
      effects: ({ command }) => [{ kind: "command", command }],
      readsUntrusted: true,
      async run(worktree, { command, timeout_seconds }, signal) {
        const settings = { ...needs, work: await settingsOf(needs, worktree) }
        const bounds = { command, timeoutMs: timeout_seconds * 1000, signal }
        const { exitCode, message, output } = await runInWorktree(settings, worktree, bounds)
        const how = exitCode === null ? message : `exit code ${exitCode}`
        return `${how}\n${fencedLines(await needs.screen.redact(output), longestOutput)}`
      },
    }),
    tool(needs, {
      name: "work_test",
      description: "Run the project's tests in a worktree.",
      fields: {},
      readsUntrusted: true,
      run: async (worktree, _input, signal) => (await testsOf(needs, worktree, signal)).text,
    }),
  ]
}

function endTools(needs: WorkToolContext): Tool[] {
  return [
    tool(needs, {
      name: "work_propose",
      description:
        "Put a finished change before the person: it is committed, tested, and shown to them with its diff. It is pushed only if they approve.",
      fields: proposalFields,
      run: (worktree, proposal, signal) => propose(needs, worktree, proposal, signal),
    }),
    tool(needs, {
      name: "work_drop",
      description: "Give a change up: its worktree and branch are removed.",
      fields: {},
      async run(worktree) {
        await removeWorktree(needs, worktree, { branch: true })
        needs.begun.delete(worktree.id)
        return "Dropped."
      },
    }),
  ]
}

type Input<Fields extends z.ZodRawShape> = z.infer<z.ZodObject<Fields>> & { work: string }

interface WorktreeTool<Fields extends z.ZodRawShape> {
  name: string
  description: string
  fields: Fields
  effects?(input: Input<Fields>): Effect[]
  readsUntrusted?: boolean
  run(worktree: Worktree, input: Input<Fields>, signal: AbortSignal): Promise<ToolOutcome | string>
}

/** Defines a tool that works in a worktree which this cycle began. */
function tool<Fields extends z.ZodRawShape>(needs: WorkToolContext, definition: WorktreeTool<Fields>): Tool {
  const { name, description, fields, effects = () => [], readsUntrusted = false, run } = definition
  return defineTool({
    name,
    description,
    input: z.object({ work, ...fields }),
    tier: "auto",
    effects: (input) => effects(input as unknown as Input<Fields>),
    readsUntrusted,
    async run(input, signal) {
      const checked = input as unknown as Input<Fields>
      const worktree = needs.begun.has(checked.work) ? await readWorktree(needs, checked.work) : undefined
      if (worktree === undefined) return toolError(`There is no ${checked.work} that this cycle began.`)
      return run(worktree, checked, signal)
    },
  })
}

const proposalFields = {
  kind: z.enum(["fix_failing_test", "do_todo", "update_docs", "other"]),
  title: z.string().min(5).max(100).describe("the commit's first line"),
  summary: z.string().min(5).max(2000).describe("what it changes and how you know that it is right"),
  rationale: z.string().min(5).max(2000).describe("why the person would want it"),
  risks: z.array(z.string().max(500)).max(10).default([]),
  remote: z.string().max(100).default("origin"),
  urgency: z.enum(["low", "normal", "high"]).default("low"),
  draft_pull_request: z.boolean().default(true),
}
type Proposal = Input<typeof proposalFields>

/** Tests and commits a change, and asks the person about it. A change that breaks passing tests is not proposed. */
async function propose(
  needs: WorkToolContext,
  worktree: Worktree,
  input: Proposal,
  signal: AbortSignal,
): Promise<ToolOutcome | string> {
  const { project = null, before = "not run", passedBefore = null } = needs.begun.get(worktree.id) ?? {}
  // The same texts are shown and pushed.
  const { title, summary, rationale, risks } = input
  const screened = await cleanDeep({ title, summary, rationale, risks }, needs.screen.redact)
  const proposal: Proposal = {
    ...input,
    ...(screened as Pick<Proposal, "title" | "summary" | "rationale" | "risks">),
  }
  const work = await settingsOf(needs, worktree)
  const first = await reviewable(needs, worktree, work)
  if (first.problem !== undefined) return toolError(first.problem)
  const after = await testsOf(needs, worktree, signal)
  if (passedBefore === true && after.passed === false)
    return toolError(`Not proposed: the tests passed before and do not pass now. ${after.text}`)
  // Tests are third-party programs and may have written files.
  const { diff, problem } = await reviewable(needs, worktree, work)
  if (diff === undefined) return toolError(problem)
  const committed = await commitAll({ ...needs, work }, worktree, `${proposal.title}\n\n${proposal.summary}`)
  if (committed.outcome !== "committed")
    return toolError(
      `Not proposed: ${committed.outcome === "refused" ? fenced(committed.reason) : "nothing was changed"}.`,
    )
  const kept = await reviewable(needs, committed.worktree, work)
  if (kept.diff?.text !== diff.text)
    return toolError("Not proposed: the files changed while it was prepared.")
  const { branch, base } = committed.worktree
  return needs.ask({
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
      diff: escapeInvisible(await needs.screen.redact(diff.text)),
      tests: await needs.screen.redact(`before: ${before}\nafter: ${after.plain}`),
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

/** A worktree's changes, if they are small and can be shown completely. */
async function reviewable(
  needs: WorkToolContext,
  worktree: Worktree,
  work: Config["work"],
): Promise<Reviewable> {
  const diff = await diffOf(needs, worktree)
  if (diff.outcome === "refused") return { problem: `Not proposed: ${fenced(diff.reason)}` }
  if (diff.size.files.length === 0) return { problem: "Not proposed: nothing was changed." }
  const large = tooLarge(diff.size, work)
  if (large !== undefined) return { problem: `Not proposed: ${fenced(large)}` }
  if (diff.isCut) return { problem: "Not proposed: it is too long to be shown whole." }
  const added = diff.text.split("\n").filter((line) => line.startsWith("+"))
  for (const line of added)
    if ((await needs.screen.redact(line)) !== line)
      return {
        problem: "Not proposed: it adds what looks like a secret or personal data, which is not shown.",
      }
  return { diff }
}

/** The result of the project's tests: one line with the end of the output, as plain text and as the model sees it. */
async function testsOf(
  needs: WorkToolContext,
  worktree: Worktree,
  signal: AbortSignal,
): Promise<{ plain: string; text: string; passed: boolean | null }> {
  const ran = await runProjectTests({ ...needs, work: await settingsOf(needs, worktree) }, worktree, {
    signal,
  })
  if (ran.outcome === "none") return { plain: ran.reason, text: ran.reason, passed: null }
  const output = (await needs.screen.redact(ran.result.output)).slice(-longestTestOutput).trim()
  const how = ran.passed ? "passed" : `failed (${ran.result.message || `exit code ${ran.result.exitCode}`})`
  const first = `${ran.command}: ${how}`
  if (output === "") return { plain: first, text: first, passed: ran.passed }
  return {
    plain: `${first}\n${output}`,
    text: `${first}\n${fencedLines(output, longestTestOutput)}`,
    passed: ran.passed,
  }
}

/** The `work` settings, which a project can restrict. */
async function settingsOf({ config }: WorkToolContext, { project }: Worktree): Promise<Config["work"]> {
  return (await loadProjectConfig(config, project)).work
}
