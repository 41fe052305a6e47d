import { z } from "zod"
import { count } from "../base/text/text.ts"
import { localFolder } from "../coding/git/local-folder.ts"
import { runGit } from "../git/run-git.ts"
import type { MemoryCore } from "../memory/model/memory-core.ts"
import { isSecretFile } from "../privacy/files/secret-files.ts"
import { defineTool, type Tool, type ToolOutcome, wrong } from "../safety/tool.ts"
import { fencedLines } from "./fenced.ts"

/** The person's repositories, as the tools that read them see them. */
export interface RepositoryView extends Pick<MemoryCore, "db" | "projects" | "screen"> {
  install: string
  /** Projects that keep every model out. */
  excluded: ReadonlySet<string>
}

const project = z.string().min(4).describe("the project's id, as the prompt names it")
const path = z.string().min(1).max(1000).describe("a path inside the repository")
const commit = z
  .string()
  .regex(/^[0-9a-zA-Z][0-9a-zA-Z._/~^-]{0,200}$/)
  .refine((text) => !text.includes(".."))
  .describe("a commit, branch or tag")

const bounds = { timeoutMs: 10_000, mostBytes: 4 * 1024 * 1024 }
const longestAnswer = 20_000
/** So many files of credentials can be left out of a diff by their names. */
const mostLeftOut = 500

/**
 * Reading a repository as it was last committed. Nothing of the work tree is opened and no program is started that the
 * repository names; files that hold credentials are left out, and what is shown is screened.
 */
export function repositoryTools(view: RepositoryView): Tool[] {
  return [...fileTools(view), ...historyTools(view)]
}

function fileTools(view: RepositoryView): Tool[] {
  return [
    defineTool({
      name: "repo_list",
      description: "List the files of a project's repository, or of a folder in it.",
      input: z.object({ project, folder: z.string().max(1000).default("") }),
      tier: "auto",
      readsOutside: true,
      run: ({ project, folder }) =>
        asked(view, project, folder, async (root) => {
          const within = folder === "" ? [] : ["--", folder]
          const { code, text } = await runGit(
            root,
            "ls-tree",
            ["-r", "--name-only", "-z", "HEAD", ...within],
            bounds,
          )
          if (code !== 0) return nothing("There is nothing committed there.")
          const files = text.split("\0").filter((file) => file !== "" && !isSecretFile(file))
          return files.length === 0 ? nothing("There are no files there.") : files.join("\n")
        }),
    }),
    defineTool({
      name: "repo_read",
      description: "Read a file of a project's repository.",
      input: z.object({
        project,
        path,
        from: z.int().min(1).default(1).describe("the first line"),
        lines: z.int().min(1).max(2000).default(400),
      }),
      tier: "auto",
      readsOutside: true,
      run: ({ project, path, from, lines }) =>
        asked(view, project, path, async (root) => {
          const text = await fileAt(root, path)
          if (text === undefined) return nothing(`There is no file ${path}.`)
          if (text.includes("\0")) return nothing(`${path} is no text.`)
          const all = text.split("\n")
          const rest = all.length - (from - 1) - lines
          const shown = all.slice(from - 1, from - 1 + lines).map((line, index) => `${from + index}: ${line}`)
          return rest > 0 ? [...shown, `(${count(rest, "more line")})`].join("\n") : shown.join("\n")
        }),
    }),
    defineTool({
      name: "repo_search",
      description: "Find lines with a text in the files of a project's repository.",
      input: z.object({
        project,
        text: z.string().min(2).max(200),
        folder: z.string().max(1000).default(""),
      }),
      tier: "auto",
      readsOutside: true,
      run: ({ project, text, folder }) =>
        asked(view, project, folder, async (root) => {
          const within = folder === "" ? [] : ["--", folder]
          // A zero stands behind each name: names may have anything else in them.
          const args = ["-I", "-i", "-F", "-n", "-z", "--max-count=20", "-e", text, "HEAD", ...within]
          const matches = /HEAD:(?<name>[^\0]+)\0(?<line>\d+)\0(?<text>.*)(?:\n|$)/gy
          const found = [...(await runGit(root, "grep", args, bounds)).text.matchAll(matches)]
            .map(({ groups = {} }) => groups)
            .filter(({ name = "" }) => !isSecretFile(name))
            .map(({ name, line, text }) => `${name}:${line}:${text}`)
          return found.length === 0 ? nothing("It stands nowhere.") : found.slice(0, 200).join("\n")
        }),
    }),
  ]
}

function historyTools(view: RepositoryView): Tool[] {
  return [
    defineTool({
      name: "repo_log",
      description: "Show the last commits of a project's repository, or of a file in it.",
      input: z.object({ project, path: path.optional(), limit: z.int().min(1).max(100).default(20) }),
      tier: "auto",
      readsOutside: true,
      run: ({ project, path = "", limit }) =>
        asked(view, project, path, async (root) => {
          const within = path === "" ? [] : ["--", path]
          const format = "--format=%h %cs %an: %s"
          const { code, text } = await runGit(
            root,
            "log",
            [`--max-count=${limit}`, format, "HEAD", ...within],
            bounds,
          )
          return code === 0 && text !== "" ? text : nothing("There are no commits.")
        }),
    }),
    defineTool({
      name: "repo_diff",
      description: "Show what a commit changed, or what changed between two.",
      input: z.object({ project, commit, since: commit.optional().describe("an earlier commit") }),
      tier: "auto",
      readsOutside: true,
      run: ({ project, commit, since }) =>
        asked(view, project, "", async (root) => {
          const which = since === undefined ? ["--root", commit] : [since, commit]
          const names = await runGit(
            root,
            "diff-tree",
            ["-r", "-z", "--no-commit-id", "--name-only", "--no-renames", ...which],
            bounds,
          )
          const secret = names.text.split("\0").filter((name) => isSecretFile(name))
          if (!names.isWhole || secret.length > mostLeftOut)
            return nothing("It changes too much to be shown.")
          const leaveOut = secret.map((name) => `:(exclude,top,literal)${name}`)
          const args = [
            "-r",
            "-p",
            "--no-commit-id",
            "--stat",
            "--no-renames",
            ...which,
            "--",
            ".",
            ...leaveOut,
          ]
          const { code, text } = await runGit(root, "diff-tree", args, bounds)
          return code === 0 && text !== "" ? text : nothing("There is no such commit, or it changed nothing.")
        }),
    }),
    defineTool({
      name: "repo_blame",
      description: "Show which commit last changed each line of a file.",
      input: z.object({
        project,
        path,
        from: z.int().min(1).default(1),
        lines: z.int().min(1).max(300).default(60),
      }),
      tier: "auto",
      readsOutside: true,
      run: ({ project, path, from, lines }) =>
        asked(view, project, path, async (root) => {
          const range = `${from},+${lines}`
          const { code, text } = await runGit(root, "blame", ["-s", "-L", range, "HEAD", "--", path], bounds)
          return code === 0 && text !== "" ? text : nothing(`There are no such lines in ${path}.`)
        }),
    }),
    defineTool({
      name: "repo_status",
      description: "Show the branch a project is on, its branches, and files that are not committed at all.",
      input: z.object({ project }),
      tier: "auto",
      readsOutside: true,
      run: ({ project }) => asked(view, project, "", statusOf),
    }),
  ]
}

async function statusOf(root: string): Promise<string> {
  const branch = (await runGit(root, "symbolic-ref", ["--short", "-q", "HEAD"], bounds)).text.trim()
  const format = "%(refname:short) %(objectname:short) %(committerdate:short) %(upstream:track)"
  const refs = ["--sort=-committerdate", "--count=20", `--format=${format}`, "refs/heads"]
  const branches = (await runGit(root, "for-each-ref", refs, bounds)).text.trim()
  const others = await runGit(root, "ls-files", ["--others", "--exclude-standard", "-z"], bounds)
  const untracked = others.text.split("\0").filter((file) => file !== "" && !isSecretFile(file))
  return [
    `on ${branch === "" ? "no branch" : branch}`,
    `branches:\n${branches}`,
    `not committed: ${untracked.length === 0 ? "nothing" : untracked.slice(0, 50).join(", ")}`,
  ].join("\n")
}

async function fileAt(root: string, file: string): Promise<string | undefined> {
  const { code, text, isWhole } = await runGit(root, "cat-file", ["blob", `HEAD:${file}`], bounds)
  return code === 0 && isWhole ? text : undefined
}

interface Nothing {
  nothing: string
}

function nothing(text: string): Nothing {
  return { nothing: text }
}

/** Answers from a project's repository; what it says is others' text, screened and fenced. */
async function asked(
  view: RepositoryView,
  which: string,
  inside: string,
  answer: (root: string) => Promise<string | Nothing>,
): Promise<ToolOutcome | string> {
  if (view.excluded.has(which)) return wrong("That project keeps you out.")
  if (inside !== "" && (inside.startsWith(":") || inside.startsWith("/") || inside.split("/").includes("..")))
    return wrong("Give a path inside the repository.")
  if (isSecretFile(inside)) return wrong(`${inside} holds credentials and is not shown.`)
  const root = await localFolder(view, which)
  if (root === undefined) return wrong(`${which} is no repository on this machine.`)
  const told = await answer(root)
  if (typeof told !== "string") return told.nothing
  return fencedLines(await view.screen.redact(told.slice(0, 2 * longestAnswer), [root]), longestAnswer)
}
