import { sql } from "../../storage/sql.ts"
import { type RetrieveNeeds, retrieve } from "../find/retrieve.ts"
import { type Belief, beliefIn, confirmedAt } from "../model/decay.ts"
import type { Memory } from "../model/memory.ts"
import { findProjects } from "../model/project.ts"
import { projectName, requireMemory } from "../model/store/browse.ts"
import { type Edge, edgesAt } from "../model/store/graph.ts"
import { findMemories, selectMemories } from "../model/store/store.ts"
import { visibleTo } from "../model/visibility.ts"
import { clustersWith } from "../topics/clusters/list.ts"

/** Another memory, as far as it explains this one. */
export type Neighbour = Pick<Memory, "id" | "content" | "status">

/** Why a memory is believed as much as it is. */
export interface Why {
  memory: Memory
  projectName: string | null
  confirmedAt: number
  belief: Belief
  supersededBy: Neighbour | null
  supersedes: Neighbour[]
  contradicts: Neighbour[]
  /** What it may replace, and what may replace it; nobody has decided yet. */
  mayReplace: Neighbour[]
  mayBeReplacedBy: Neighbour[]
  derivedFrom: Neighbour[]
  relatesTo: Neighbour[]
  clusters: { id: string; name: string }[]
}

/** Gathers everything that a memory stands on. */
export async function whyBelieved(
  { db, clock }: Pick<RetrieveNeeds, "db" | "clock">,
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

/** Whether and how a question would find a memory. */
export interface Finding {
  query: string
  found: boolean
  /** 1 is the best. */
  rank: number | null
  score: number | null
  via: string[]
  /** How many memories answer the question at all. */
  answers: number
  /** What keeps it from being found, as one sentence. */
  reason: string | null
}

/** How many answers are looked through. */
const mostAnswers = 1000

/** Tells why a question finds, or does not find, a memory. */
export async function whyFound(
  needs: RetrieveNeeds,
  memory: Memory,
  query: {
    query: string
    project?: string | undefined
    session?: string | undefined
    allProjects?: boolean | undefined
  },
): Promise<Finding> {
  const { hits, reason, abstained } = await retrieve(needs, { ...query, limit: mostAnswers, gate: false })
  const index = hits.findIndex((hit) => hit.memory.id === memory.id)
  const hit = hits[index]
  const told = { query: query.query, answers: hits.length }
  if (hit) {
    const { score, via, sure } = hit
    const doubt = abstained
      ? "nothing seems to answer the question well enough"
      : "others answer the question much better"
    return { ...told, found: sure, rank: index + 1, score, via, reason: sure ? null : doubt }
  }
  const missed = reason ?? (await whyMissed(needs, memory, query, hits.length))
  return { ...told, found: false, rank: null, score: null, via: [], reason: missed }
}

async function whyMissed(
  { db, projects }: RetrieveNeeds,
  memory: Memory,
  query: { project?: string | undefined; session?: string | undefined; allProjects?: boolean | undefined },
  answers: number,
): Promise<string> {
  if (memory.status !== "active") return `it is ${memory.status}, and only active memories are found`
  const known = query.project ? await findProjects(db, await projects.find(query.project)) : []
  const viewer = { projects: known, session: query.session, allProjects: query.allProjects }
  const [visible] = await selectMemories(db, sql`m.id = ${memory.id} and ${visibleTo(viewer)}`)
  if (visible === undefined && memory.scope === "session") {
    return "it belongs to one session, and the question does not come from there"
  }
  if (visible === undefined) return "it belongs to another project than the question comes from"
  if (answers >= mostAnswers) return `more than ${mostAnswers} memories answer the question better`
  return "no word of the question is in it, and its meaning is too far from the question's"
}
