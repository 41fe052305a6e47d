import { count, shorten } from "../../base/text/text.ts"
import type { Memory } from "../model/memory.ts"

const mostNamed = 10
const longestText = 120

/** What happened to memories, in words, of as many as a person reads. */
export function changesInWords(memories: readonly Memory[]): string[] {
  const byId = new Map(memories.map((memory) => [memory.id, memory]))
  const gone = memories.filter(({ status }) => status !== "active")
  const told = gone.length > 0 ? gone : memories
  const named = told.slice(0, mostNamed).map((memory) => sentence(memory, byId))
  const rest = told.length - named.length
  return rest > 0 ? [...named, `and ${count(rest, "more memory", "more memories")}`] : named
}

function sentence({ id, content, status, supersededBy }: Memory, byId: ReadonlyMap<string, Memory>): string {
  const text = `"${shorten(content, longestText)}" (${id})`
  if (status === "active") return text
  if (supersededBy === null) return `${text} put aside`
  const kept = byId.get(supersededBy)
  const into = kept === undefined ? supersededBy : `"${shorten(kept.content, longestText)}" (${kept.id})`
  return `${text} into ${into}`
}
