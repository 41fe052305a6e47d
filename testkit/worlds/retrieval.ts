import { type RetrieveQuery, retrieve } from "../../src/memory/find/retrieve.ts"
import { linkMemories } from "../../src/memory/write/change/link.ts"
import type { Remembered } from "../../src/memory/write/remember.ts"
import type { MemoryWorld } from "./memory-world.ts"

/** The id of what was remembered. */
export function idOf(remembered: Remembered): string {
  if (remembered.outcome === "refused") throw new Error(remembered.reason)
  return remembered.id
}

/** Asks, without the gate unless it is wanted. */
export async function ask(world: MemoryWorld, query: string, more: Partial<RetrieveQuery> = {}) {
  const answer = await retrieve(world, { query, limit: 20, gate: false, ...more })
  return {
    ...answer,
    texts: answer.hits.map(({ memory }) => memory.content),
    via: new Map(answer.hits.map(({ memory, via }) => [memory.content, via])),
  }
}

/** Remembers as it is, so that what is alike stays apart. */
export async function keep(world: MemoryWorld, text: string, given: object = {}): Promise<string> {
  return idOf(await world.remember(text, { ...given, verbatim: true }))
}

/** Links two memories. */
export function link(world: MemoryWorld, source: string, kind: "relates-to" | "supersedes", target: string) {
  return world.act((needs, by) => linkMemories(needs, { source, kind, target }, by))
}
