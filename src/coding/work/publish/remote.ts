import { isAbsolute } from "node:path"
import { runGit } from "../../../git/run-git.ts"

/** A remote repository that can be pushed to. */
export interface Remote {
  name: string
  /** Without a password. */
  url: string
  /** Its name on the host, such as owner/name; undefined for a remote that is a folder. */
  path: string | undefined
  host: string | undefined
}

/** A project's remote by its name, or why it cannot be pushed to. */
export async function findRemote(project: string, name: string): Promise<Remote | { problem: string }> {
  if (!/^[\w][\w.-]*$/.test(name))
    return { problem: `${JSON.stringify(name)} is not a valid name of a remote` }
  const config = async (key: string) => {
    const { code, text } = await runGit(project, "config", ["--local", "-z", "--get-all", key])
    return code === 0 ? text.split("\0").filter((one) => one !== "") : []
  }
  const push = await config(`remote.${name}.pushurl`)
  const urls = push.length > 0 ? push : await config(`remote.${name}.url`)
  const [url] = urls
  if (url === undefined) return { problem: `the project has no remote named ${name}` }
  if (urls.length > 1) return { problem: `the remote ${name} has more than one address` }
  const read = readAddress(url)
  return "problem" in read ? read : { name, url, ...read }
}

type Address = { host: string | undefined; path: string | undefined }

/** Parses an address. Addresses that name a program are refused. */
function readAddress(url: string): Address | { problem: string } {
  if (/[\p{Cc} ]/u.test(url.replaceAll(" ", isAbsolute(url) ? "x" : " ")) || url.startsWith("-"))
    return { problem: "the remote's address contains invalid characters" }
  if (isAbsolute(url)) return { host: undefined, path: undefined }
  const web = /^(?:https|ssh):\/\/(?:[^/@]*@)?(?<host>[a-z0-9][a-z0-9.-]*)(?::\d+)?\/(?<path>.+)$/i.exec(url)
  const short = /^(?:[\w.-]+@)?(?<host>[a-z0-9][a-z0-9.-]*):(?!\/\/)(?!:)(?<path>[^-].*)$/i.exec(url)
  const groups = (web ?? short)?.groups
  if (groups?.host === undefined || groups.path === undefined)
    return { problem: "the remote's address is neither https nor ssh nor a folder" }
  if (/^https:\/\/[^/@]*:[^/@]*@/i.test(url))
    return { problem: "the remote's address contains a password; move it to a credential helper" }
  return {
    host: groups.host.toLowerCase(),
    path: groups.path.replace(/\.git\/?$|\/+$/, "").replace(/^\/+/, ""),
  }
}

/** The page where the user can open a pull request for a branch; undefined for unknown hosts. */
export function compareUrl({ host, path }: Remote, base: string, branch: string): string | undefined {
  if (host === undefined || path === undefined) return undefined
  const address = `https://${host}/${path.split("/").map(encodeURIComponent).join("/")}`
  const [from, to] = [base, branch].map((name) => name.split("/").map(encodeURIComponent).join("/"))
  if (host === "github.com" || host.startsWith("github."))
    return `${address}/compare/${from}...${to}?expand=1`
  if (host === "bitbucket.org")
    return `${address}/pull-requests/new?source=${encodeURIComponent(branch)}&dest=${encodeURIComponent(base)}`
  if (host === "gitlab.com" || host.startsWith("gitlab.")) {
    const query = new URLSearchParams({
      "merge_request[source_branch]": branch,
      "merge_request[target_branch]": base,
    })
    return `${address}/-/merge_requests/new?${query}`
  }
  return undefined
}
