import { shorten } from "../../base/text/text.ts"
import { runGit } from "../../git/run-git.ts"
import { localFolder } from "./local-folder.ts"

const mostBranches = 10
const mostCommits = 20
const longestSubject = 120
const bounds = { timeoutMs: 5000, mostBytes: 1024 * 1024 }

/**
 * The branches and commits of a project since a time, newest first; undefined if it has no repository here. Their texts
 * are untrusted; secrets are redacted.
 */
export async function readGitActivity(
  needs: Parameters<typeof localFolder>[0] & { redact(text: string): string },
  project: string,
  since: number,
) {
  const folder = await localFolder(needs, project)
  if (folder === undefined) return undefined
  const format = "%(committerdate:unix)%00%(objectname:short)%00%(refname:short)"
  const refs = ["--sort=-committerdate", `--count=${mostBranches}`, `--format=${format}`]
  const branches = await runGit(folder, "for-each-ref", [...refs, "refs/heads", "refs/remotes"], bounds)
  if (branches.code !== 0) return undefined
  const seconds = Math.floor(since / 1000)
  const log = ["--branches", "--remotes", "--no-merges", `--max-count=${mostCommits}`]
  const commits = await runGit(
    folder,
    "log",
    [...log, `--since=@${seconds} +0000`, "--format=%ct%x00%h%x00%s"],
    bounds,
  )
  const text = (value: string) => shorten(needs.redact(value), longestSubject)
  return {
    branches: rowsOf(branches.text)
      .map(([at, head, name]) => ({ name: text(name), head, at: Number(at) * 1000 }))
      .filter(({ at, name }) => at >= since && !name.endsWith("/HEAD")),
    commits: rowsOf(commits.text).map(([at, id, subject]) => ({
      id,
      at: Number(at) * 1000,
      subject: text(subject),
    })),
  }
}

function rowsOf(text: string): [string, string, string][] {
  return text.split("\n").flatMap((line): [string, string, string][] => {
    const [at, id, ...rest] = line.split("\0")
    return at && id ? [[at, id, rest.join(" ")]] : []
  })
}
