import { count, shorten } from "../../base/text/text.ts"
import type { Memory } from "../model/memory.ts"

const mostNamed = 10
const longestText = 120

/** Describes changed memories: those that are no longer active, or else all; at most ten. */
export function describeChanges(memories: readonly Memory[]): string[] {
  const byId = new Map(memories.map((memory) => [memory.id, memory]))
  const gone = memories.filter(({ status }) => status !== "active")
  const shown = gone.length > 0 ? gone : memories
  const named = shown.slice(0, mostNamed).map((memory) => sentence(memory, byId))
  const rest = shown.length - named.length
  return rest > 0 ? [...named, `and ${count(rest, "more memory", "more memories")}`] : named
}

function sentence({ id, content, status, supersededBy }: Memory, byId: ReadonlyMap<string, Memory>): string {
  const text = `"${shorten(content, longestText)}" (${id})`
  if (status === "active") return text
  if (supersededBy === null) return `${text} hidden`
  const other = byId.get(supersededBy)
  const into = other === undefined ? supersededBy : `"${shorten(other.content, longestText)}" (${other.id})`
  return `${text} into ${into}`
}
