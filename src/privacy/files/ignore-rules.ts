import { type Budget, matcherFor } from "./wildcards.ts"

/** One line of a .gitignore file. */
interface Rule {
  /** It un-ignores what an earlier line ignored. */
  isNegative: boolean
  isForFolders: boolean
  /** It is compared with the last part of a path only. */
  isForNames: boolean
  matches(text: string, budget: Budget): boolean
}

/** The rules of one file, and the folder that its paths are relative to; "" is the root. */
export interface IgnoreList {
  folder: string
  rules: readonly Rule[]
}

/** At most this many comparison steps for one path, some hundredths of a second. */
const mostSteps = 600_000

/** At most this many lines in one list. */
const mostLines = 10_000

/** A list that ignores everything, for one that cannot be read. */
export function everything(folder: string): IgnoreList {
  const rule = { isNegative: false, isForFolders: false, isForNames: true, matches: () => true }
  return { folder, rules: [rule] }
}

/** Parses a list in the format of .gitignore. */
export function parseIgnoreList(text: string, folder: string, ignoreCase: boolean): IgnoreList {
  const lines = text.replace(/^\uFEFF/, "").split("\n")
  if (lines.length > mostLines) return everything(folder)
  const rules = lines.flatMap((line) => {
    const bare = line.endsWith("\r") ? line.slice(0, -1) : line
    return bare === "" || bare.startsWith("#") ? [] : [parseRule(withoutEnd(bare), ignoreCase)]
  })
  return { folder, rules }
}

/** A line without trailing spaces, except one after a backslash. */
function withoutEnd(line: string): string {
  let end = line.length
  while (end > 0 && line[end - 1] === " ") end -= 1
  let slashes = 0
  while (line[end - 1 - slashes] === "\\") slashes += 1
  return end < line.length && slashes % 2 === 1 ? line.slice(0, end + 1) : line.slice(0, end)
}

function parseRule(line: string, ignoreCase: boolean): Rule {
  const isNegative = line.startsWith("!")
  const body = line.slice(isNegative ? 1 : 0)
  const isForFolders = body.endsWith("/")
  const whole = isForFolders ? body.slice(0, -1) : body
  const isForNames = !whole.includes("/")
  const pattern = whole.startsWith("/") ? whole.slice(1) : whole
  return { isNegative, isForFolders, isForNames, matches: matcherFor(bytesOf(pattern, ignoreCase)) }
}

/**
 * Whether these lists ignore a path, by git's rules: the last list that matches wins, and in it the last line; nothing
 * below an ignored folder can be un-ignored. A comparison that takes too long counts as ignored.
 */
export function isIgnored(
  lists: readonly IgnoreList[],
  path: string,
  { isFolder, ignoreCase }: { isFolder: boolean; ignoreCase: boolean },
): boolean {
  const budget = { steps: mostSteps }
  const parts = path.split("/")
  return parts.some((_, index) => {
    const isLast = index === parts.length - 1
    return judge(
      lists,
      parts.slice(0, index + 1).join("/"),
      { isFolder: isFolder || !isLast, ignoreCase },
      budget,
    )
  })
}

function judge(
  lists: readonly IgnoreList[],
  path: string,
  { isFolder, ignoreCase }: { isFolder: boolean; ignoreCase: boolean },
  budget: Budget,
): boolean {
  const name = bytesOf(path.slice(path.lastIndexOf("/") + 1), ignoreCase)
  for (const { folder, rules } of lists.toReversed()) {
    const prefix = folder === "" ? "" : `${folder}/`
    if (!path.startsWith(prefix)) continue
    const below = bytesOf(path.slice(prefix.length), ignoreCase)
    const last = rules.findLast(
      (rule) => (isFolder || !rule.isForFolders) && rule.matches(rule.isForNames ? name : below, budget),
    )
    if (budget.steps <= 0) return true
    if (last) return !last.isNegative
  }
  return false
}

/** Git compares bytes, not characters. */
function bytesOf(text: string, ignoreCase: boolean): string {
  const bytes = Buffer.from(text, "utf8").toString("latin1")
  return ignoreCase ? bytes.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase()) : bytes
}
