import { sql } from "../../storage/sql.ts"
import { retrieve } from "../find/retrieve.ts"
import { type Belief, beliefIn, confirmedAt } from "../model/decay.ts"
import { projectName } from "../model/known-projects.ts"
import type { Memory } from "../model/memory.ts"
import type { MemoryCore } from "../model/memory-core.ts"
import { requireMemory } from "../model/store/browse.ts"
import { type Edge, edgesAt } from "../model/store/graph.ts"
import { findMemories, selectMemories } from "../model/store/store.ts"
import { type ViewerQuery, viewerFor, visibleTo } from "../model/visibility.ts"
import { clustersWith } from "../topics/clusters/list.ts"

export type Neighbour = Pick<Memory, "id" | "content" | "status">

/** What explains a memory's confidence and status. */
export interface Why {
  memory: Memory
  projectName: string | null
  confirmedAt: number
  belief: Belief
  supersededBy: Neighbour | null
  supersedes: Neighbour[]
  contradicts: Neighbour[]
  /** Undecided: it may replace these, or these may replace it. */
  mayReplace: Neighbour[]
  mayBeReplacedBy: Neighbour[]
  derivedFrom: Neighbour[]
  relatesTo: Neighbour[]
  clusters: { id: string; name: string }[]
}

/** Reads everything that explains a memory. */
export async function whyBelieved(
  { db, clock }: Pick<MemoryCore, "db" | "clock">,
  idOrPart: string,
): Promise<Why> {
  const memory = await requireMemory(db, idOrPart)
  const edges = await edgesAt(db, [memory.id])
  const ends = edges.flatMap(({ source, target }) => [source, target])
  const known = await findMemories(db, [...new Set([...ends, memory.supersededBy ?? ""])])
  const named = (ids: readonly string[]) =>
    ids.flatMap((id) => {
      const found = known.get(id)
      return found ? [{ id: found.id, content: found.content, status: found.status }] : []
    })
  const from = (kind: Edge["kind"]) =>
    edges.filter((edge) => edge.kind === kind && edge.source === memory.id).map((edge) => edge.target)
  const to = (kind: Edge["kind"]) =>
    edges.filter((edge) => edge.kind === kind && edge.target === memory.id).map((edge) => edge.source)
  return {
    memory,
    projectName: memory.project === null ? null : await projectName(db, memory.project),
    confirmedAt: confirmedAt(memory),
    belief: beliefIn(memory, clock.now()),
    supersededBy: named([memory.supersededBy ?? ""])[0] ?? null,
    supersedes: named(from("supersedes")),
    contradicts: named([...from("contradicts"), ...to("contradicts")]),
    mayReplace: named(from("may-replace")),
    mayBeReplacedBy: named(to("may-replace")),
    derivedFrom: named(from("derived-from")),
    relatesTo: named([...from("relates-to"), ...to("relates-to")]),
    clusters: await clustersWith(db, memory.id),
  }
}

/** Whether and how a query finds a memory. */
export interface SearchExplanation {
  query: string
  found: boolean
  /** 1 is the best. */
  rank: number | null
  score: number | null
  via: string[]
  /** How many memories match the query. */
  answers: number
  /** Why the query does not find it, as a clause. */
  reason: string | null
}

const mostAnswers = 1000

/** Explains why a query finds, or does not find, a memory. */
export async function explainSearch(
  needs: MemoryCore,
  memory: Memory,
  query: ViewerQuery & { query: string },
): Promise<SearchExplanation> {
  const { hits, reason, abstained } = await retrieve(needs, { ...query, limit: mostAnswers, gate: false })
  const index = hits.findIndex((hit) => hit.memory.id === memory.id)
  const hit = hits[index]
  const searched = { query: query.query, answers: hits.length }
  if (hit) {
    const { score, via, sure } = hit
    const doubt = abstained
      ? "nothing seems to answer the query well enough"
      : "others answer the query much better"
    return { ...searched, found: sure, rank: index + 1, score, via, reason: sure ? null : doubt }
  }
  const missed = reason ?? (await whyMissed(needs, memory, query, hits.length))
  return { ...searched, found: false, rank: null, score: null, via: [], reason: missed }
}

async function whyMissed(
  needs: MemoryCore,
  memory: Memory,
  query: ViewerQuery,
  answers: number,
): Promise<string> {
  if (memory.status !== "active") return `it is ${memory.status}, and only active memories are found`
  const viewer = await viewerFor(needs, query)
  const [visible] = await selectMemories(needs.db, sql`m.id = ${memory.id} and ${visibleTo(viewer)}`)
  if (visible === undefined && memory.scope === "session") {
    return "it belongs to one session, and the query does not come from that session"
  }
  if (visible === undefined) return "it belongs to another project than the query"
  if (answers >= mostAnswers) return `more than ${mostAnswers} memories answer the query better`
  return "it shares no word with the query, and its meaning is too far from the query's"
}
