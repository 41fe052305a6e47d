/** Characters that some file systems take for nothing. */
const unseen = /[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u00ad]/gu

/**
 * Whether a name could be git's own on any file system: ".git" in other letters, with characters that are not seen, with
 * dots, blanks or a stream at its end, or its short name on Windows.
 */
export function isGitName(name: string): boolean {
  const plain = name.normalize("NFKC").replaceAll(unseen, "").toLowerCase()
  return /^(?:\.git|git~\d+)(?:[. ]*(?::.*)?)$/s.test(plain)
}

const longestPath = 1024

/** Why a path below a worktree cannot be taken, as the end of the sentence "PATH …"; undefined if it can. */
export function problemWithPath(path: string): string | undefined {
  if (path === "" || path.length > longestPath) return "is no path of a file, or far too long"
  if (/\p{Cc}/u.test(path) || !path.isWellFormed())
    return "has characters in it that names of files do not have"
  if (path.startsWith("/") || path.startsWith("~") || /^[a-z]:/i.test(path) || path.includes("\\"))
    return "must be given from the worktree's top folder, with / between folders"
  const parts = path.split("/")
  if (parts.some((part) => part === "" || part === "." || part === ".."))
    return "leads somewhere else by its dots or slashes"
  if (parts.some(isGitName)) return "belongs to git"
  return undefined
}
