import { spawn } from "node:child_process"
import { request } from "@octokit/request"
import { messageOf } from "../../../base/errors.ts"
import { gitEnvironment } from "../../../config/environment.ts"
import { compareUrl, type Remote } from "./remote.ts"

interface PullRequest {
  remote: Remote
  /** The pushed branch, and the branch to merge it into. */
  branch: string
  base: string
  title: string
  body: string
  /** The user's GitHub token, if there is one. */
  token?: string | undefined
  /** The address of GitHub's API; for tests. */
  apiUrl?: string | undefined
  /** The program `gh`; for tests. */
  gh?: string | undefined
}

type Opened =
  | { outcome: "opened"; url: string; by: "gh" | "api" }
  /** Nothing was opened: the user can do it on this page. */
  | { outcome: "link"; url: string; reason: string }
  | { outcome: "none"; reason: string }

const timeoutMs = 60_000
const mostOutput = 100_000

/** Opens a draft pull request with the user's `gh`, else with a token, else returns the page where the user can. */
export async function openDraft(wanted: PullRequest): Promise<Opened> {
  const { remote, branch, base } = wanted
  const link = compareUrl(remote, base, branch)
  const isGitHub = remote.host === "github.com" || (remote.host?.startsWith("github.") ?? false)
  if (!isGitHub) return notOpened(link, "draft pull requests are only supported on GitHub")
  const first = await byProgram(wanted)
  if (first.outcome === "opened") return first
  const second = wanted.token === undefined ? undefined : await byApi(wanted, wanted.token)
  if (second?.outcome === "opened") return second
  return notOpened(link, second?.reason ?? first.reason)
}

type Tried = { outcome: "opened"; url: string; by: "gh" | "api" } | { outcome: "failed"; reason: string }

/** Runs `gh` outside of every repository, so that none can configure it. */
async function byProgram({ remote, branch, base, title, body, gh = "gh" }: PullRequest): Promise<Tried> {
  const options = { repo: `${remote.host}/${remote.path}`, head: branch, base, title, "body-file": "-" }
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value])
  const { code, output } = await runProgram(gh, ["pr", "create", "--draft", ...args], body)
  // A second attempt reports the existing pull request.
  const url = /https:\/\/\S+\/pull\/\d+/.exec(output)?.[0]
  if (url !== undefined && (code === 0 || /already exists/i.test(output)))
    return { outcome: "opened", url, by: "gh" }
  const why = code === null ? "gh is not installed" : (output.trim().split("\n").at(-1) ?? "")
  return { outcome: "failed", reason: why }
}

async function byApi(
  { remote, branch, base, title, body, apiUrl = "https://api.github.com" }: PullRequest,
  token: string,
): Promise<Tried> {
  const [owner = "", repo = ""] = (remote.path ?? "").split("/")
  const common = { owner, repo, baseUrl: apiUrl, headers: { authorization: `Bearer ${token}` } }
  try {
    const head = `${owner}:${branch}`
    const { data: open } = await request("GET /repos/{owner}/{repo}/pulls", {
      ...common,
      head,
      base,
      state: "open",
    })
    const [before] = open
    if (before !== undefined) return { outcome: "opened", url: before.html_url, by: "api" }
    const { data } = await request("POST /repos/{owner}/{repo}/pulls", {
      ...common,
      ...{ title, body, base, head: branch, draft: true },
    })
    return { outcome: "opened", url: data.html_url, by: "api" }
  } catch (error) {
    return { outcome: "failed", reason: messageOf(error).replaceAll(token, "[token]") }
  }
}

function runProgram(
  program: string,
  args: readonly string[],
  input: string,
): Promise<{ code: number | null; output: string }> {
  return new Promise((done) => {
    const env = { ...gitEnvironment(), GH_PROMPT_DISABLED: "1", NO_COLOR: "1" }
    const child = spawn(program, args, { cwd: "/", env, signal: AbortSignal.timeout(timeoutMs) })
    let output = ""
    const add = (part: Buffer) => {
      output = (output + part.toString("utf8")).slice(-mostOutput)
    }
    child.stdout.on("data", add)
    child.stderr.on("data", add)
    child.stdin.on("error", () => {})
    child.stdin.end(input)
    child.on("error", () => done({ code: null, output }))
    child.on("close", (code) => done({ code, output }))
  })
}

function notOpened(url: string | undefined, reason: string): Opened {
  return url === undefined ? { outcome: "none", reason } : { outcome: "link", url, reason }
}
