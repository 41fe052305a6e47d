/** Characters that some file systems ignore. */
const unseen = /[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u00ad]/gu

/**
 * Whether a name could mean ".git" on any file system: in other letter case, with invisible characters, with dots,
 * spaces or a stream at its end, or as its short name on Windows.
 */
export function isGitName(name: string): boolean {
  const plain = name.normalize("NFKC").replaceAll(unseen, "").toLowerCase()
  return /^(?:\.git|git~\d+)(?:[. ]*(?::.*)?)$/s.test(plain)
}

const longestPath = 1024

/** Why a path in a worktree is not allowed, as the end of the sentence "PATH …"; undefined if it is. */
export function problemWithPath(path: string): string | undefined {
  if (path === "" || path.length > longestPath) return "is empty or too long"
  if (/\p{Cc}/u.test(path) || !path.isWellFormed())
    return "contains characters that are not allowed in file names"
  if (path.startsWith("/") || path.startsWith("~") || /^[a-z]:/i.test(path) || path.includes("\\"))
    return "must be relative to the worktree's top folder, with / between folders"
  const parts = path.split("/")
  if (parts.some((part) => part === "" || part === "." || part === ".."))
    return "contains an empty part, . or .."
  if (parts.some(isGitName)) return "belongs to git"
  return undefined
}
