import { z } from "zod"
import { count } from "../base/text/text.ts"
import { localFolder } from "../coding/git/local-folder.ts"
import { runGit } from "../git/run-git.ts"
import type { MemoryCore } from "../memory/model/memory-core.ts"
import { isSecretFile } from "../privacy/files/secret-files.ts"
import { defineTool, type Tool, toolError } from "../safety/tool.ts"
import { fencedLines } from "./fenced.ts"

/** The user's repositories, for the tools that read them. */
export interface RepositoryToolContext extends Pick<MemoryCore, "db" | "projects" | "screen"> {
  install: string
  /** Projects that exclude models. */
  excluded: ReadonlySet<string>
}

const project = z.string().min(4).describe("the project's id, as the prompt names it")
const folder = z.string().max(1000).default("")
const path = z.string().min(1).max(1000).describe("a path inside the repository")
const commit = z
  .string()
  .regex(/^[0-9a-zA-Z][0-9a-zA-Z._/~^-]{0,200}$/)
  .refine((text) => !text.includes(".."))
  .describe("a commit, branch or tag")

const bounds = { timeoutMs: 10_000, mostBytes: 4 * 1024 * 1024 }
const longestAnswer = 20_000
/** At most this many credential files can be excluded from a diff. */
const mostLeftOut = 500

/**
 * Reads a repository as of its last commit. The work tree is not opened, and no program that the repository names is
 * started. Files with credentials are left out, and the output is screened.
 */
export function repositoryTools(needs: RepositoryToolContext): Tool[] {
  return [
    tool(
      needs,
      "repo_list",
      "List the files of a project's repository, or of a folder in it.",
      { folder },
      async (root, { folder }) => {
        const args = ["-r", "--name-only", "-z", "HEAD", ...inPath(folder)]
        const { code, text } = await runGit(root, "ls-tree", args, bounds)
        if (code !== 0) return noContent("There is nothing committed there.")
        const files = text.split("\0").filter((file) => file !== "" && !isSecretFile(file))
        return files.length === 0 ? noContent("There are no files there.") : files.join("\n")
      },
    ),
    tool(
      needs,
      "repo_read",
      "Read a file of a project's repository.",
      {
        path,
        from: z.int().min(1).default(1).describe("the first line"),
        lines: z.int().min(1).max(2000).default(400),
      },
      async (root, { path, from, lines }) => {
        const text = await fileAt(root, path)
        if (text === undefined) return noContent(`There is no file ${path}.`)
        if (text.includes("\0")) return noContent(`${path} is not a text file.`)
        const all = text.split("\n")
        const rest = all.length - (from - 1) - lines
        const shown = all.slice(from - 1, from - 1 + lines).map((line, index) => `${from + index}: ${line}`)
        return rest > 0 ? [...shown, `(${count(rest, "more line")})`].join("\n") : shown.join("\n")
      },
    ),
    tool(
      needs,
      "repo_search",
      "Find lines with a text in the files of a project's repository.",
      { text: z.string().min(2).max(200), folder },
      async (root, { text, folder }) => {
        // -z puts a zero after each name, because names may contain any other character.
        const args = ["-I", "-i", "-F", "-n", "-z", "--max-count=20", "-e", text, "HEAD", ...inPath(folder)]
        const matches = /HEAD:(?<name>[^\0]+)\0(?<line>\d+)\0(?<text>.*)(?:\n|$)/gy
        const found = [...(await runGit(root, "grep", args, bounds)).text.matchAll(matches)]
          .map(({ groups = {} }) => groups)
          .filter(({ name = "" }) => !isSecretFile(name))
          .map(({ name, line, text }) => `${name}:${line}:${text}`)
        return found.length === 0 ? noContent("Nothing was found.") : found.slice(0, 200).join("\n")
      },
    ),
    tool(
      needs,
      "repo_log",
      "Show the last commits of a project's repository, or of a file in it.",
      { path: path.optional(), limit: z.int().min(1).max(100).default(20) },
      async (root, { path, limit }) => {
        const args = [`--max-count=${limit}`, "--format=%h %cs %an: %s", "HEAD", ...inPath(path)]
        const { code, text } = await runGit(root, "log", args, bounds)
        return code === 0 && text !== "" ? text : noContent("There are no commits.")
      },
    ),
    tool(
      needs,
      "repo_diff",
      "Show what a commit changed, or what changed between two.",
      { commit, since: commit.optional().describe("an earlier commit") },
      diffOf,
    ),
    tool(
      needs,
      "repo_blame",
      "Show which commit last changed each line of a file.",
      {
        path,
        from: z.int().min(1).default(1),
        lines: z.int().min(1).max(300).default(60),
      },
      async (root, { path, from, lines }) => {
        const args = ["-s", "-L", `${from},+${lines}`, "HEAD", "--", path]
        const { code, text } = await runGit(root, "blame", args, bounds)
        return code === 0 && text !== "" ? text : noContent(`There are no such lines in ${path}.`)
      },
    ),
    tool(
      needs,
      "repo_status",
      "Show the branch a project is on, its branches, and files that are not committed at all.",
      {},
      statusOf,
    ),
  ]
}

const inPath = (path: string | undefined) => (path ? ["--", path] : [])

/** Defines a tool that reads one project's repository. Its output is untrusted text, screened and fenced. */
function tool<Fields extends z.ZodRawShape>(
  needs: RepositoryToolContext,
  name: string,
  description: string,
  fields: Fields,
  read: (root: string, input: z.infer<z.ZodObject<Fields>>) => Promise<string | NoContent>,
): Tool {
  return defineTool({
    name,
    description,
    input: z.object({ project, ...fields }),
    tier: "auto",
    readsUntrusted: true,
    async run(input) {
      const { project, path = "", folder = "" } = input as { project: string; path?: string; folder?: string }
      const inside = path || folder
      if (needs.excluded.has(project)) return toolError("That project excludes models.")
      if (inside.startsWith(":") || inside.startsWith("/") || inside.split("/").includes(".."))
        return toolError("Give a path inside the repository.")
      if (isSecretFile(inside)) return toolError(`${inside} contains credentials and is not shown.`)
      const root = await localFolder(needs, project)
      if (root === undefined) return toolError(`${project} is not a repository on this machine.`)
      const answer = await read(root, input as unknown as z.infer<z.ZodObject<Fields>>)
      if (typeof answer !== "string") return answer.nothing
      return fencedLines(await needs.screen.redact(answer.slice(0, 2 * longestAnswer), [root]), longestAnswer)
    },
  })
}

async function diffOf(
  root: string,
  { commit, since }: { commit: string; since?: string | undefined },
): Promise<string | NoContent> {
  const range = since === undefined ? ["--root", commit] : [since, commit]
  const list = ["-r", "-z", "--no-commit-id", "--name-only", "--no-renames", ...range]
  const names = await runGit(root, "diff-tree", list, bounds)
  const secret = names.text.split("\0").filter((name) => isSecretFile(name))
  if (!names.isComplete || secret.length > mostLeftOut) return noContent("It changes too much to be shown.")
  const exclude = secret.map((name) => `:(exclude,top,literal)${name}`)
  const args = ["-r", "-p", "--no-commit-id", "--stat", "--no-renames", ...range, "--", ".", ...exclude]
  const { code, text } = await runGit(root, "diff-tree", args, bounds)
  return code === 0 && text !== "" ? text : noContent("There is no such commit, or it changed nothing.")
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
  const { code, text, isComplete } = await runGit(root, "cat-file", ["blob", `HEAD:${file}`], bounds)
  return code === 0 && isComplete ? text : undefined
}

/** A message for the model instead of repository content; it is not fenced. */
interface NoContent {
  nothing: string
}
function noContent(text: string): NoContent {
  return { nothing: text }
}
