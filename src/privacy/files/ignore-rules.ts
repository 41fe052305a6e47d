import { type Budget, matcherFor } from "./wildcards.ts"

/** One line of a .gitignore file. */
interface Rule {
  /** It takes back what an earlier line said. */
  isNegative: boolean
  isForFolders: boolean
  /** It is about the last part of a path, wherever that stands. */
  isForNames: boolean
  matches(text: string, budget: Budget): boolean
}

/** The lines of one file, and the folder whose paths they are about; "" is the top one. */
export interface IgnoreList {
  folder: string
  rules: readonly Rule[]
}

/** Some hundredths of a second; a question about a large repository takes a part of it. */
const mostSteps = 600_000

/** Reading more takes too long; no list of people's own is so long. */
const mostLines = 10_000

/** Everything is ignored: for a list that cannot be read. */
export function everything(folder: string): IgnoreList {
  const rule = { isNegative: false, isForFolders: false, isForNames: true, matches: () => true }
  return { folder, rules: [rule] }
}

/** Reads a list in the format of .gitignore. Without regard to case if asked for. */
export function parseIgnoreList(text: string, folder: string, ignoreCase: boolean): IgnoreList {
  const lines = text.replace(/^\uFEFF/, "").split("\n")
  if (lines.length > mostLines) return everything(folder)
  const rules = lines.flatMap((line) => {
    const bare = line.endsWith("\r") ? line.slice(0, -1) : line
    return bare === "" || bare.startsWith("#") ? [] : [parseRule(withoutEnd(bare), ignoreCase)]
  })
  return { folder, rules }
}

/** A line without the spaces at its end, but for those after a backslash. */
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
 * Whether these lists ignore a path, as git decides: the last line that matches in the strongest list, and nothing below
 * an ignored folder comes back. The strongest list is the last. A comparison that takes too long says yes.
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
