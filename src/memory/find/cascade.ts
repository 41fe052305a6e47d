import { joinSql, sql, sqlList } from "../../storage/sql.ts"
import type { Reader } from "../../storage/transaction.ts"
import { type EdgeKind, edgesAt, linkKinds, selectEdges, tagKinds } from "../model/store/graph.ts"
import type { Recipe } from "./rank/recipe.ts"

/** A memory that was reached through the graph. */
export interface Reached {
  id: string
  score: number
  /** The edge that led to it, such as "relates-to" or "tag deploy". */
  via: string
}

/** The factor on a memory's score along an edge; "weight" uses the edge's own weight. */
const edgeFactors: Record<EdgeKind, number | "weight"> = {
  "has-tag": 0.8,
  "inferred-tag": 0.5,
  "in-cluster": 0.6,
  "relates-to": "weight",
  supersedes: 0.9,
  contradicts: 0.3,
  "may-replace": 0.9,
  "derived-from": 0.3,
  "part-of": 0.3,
}

/** A tag or cluster leads to at most this many memories; larger groups are ignored. */
const maxFromGroup = 8
const maxGroupSize = 200

/** Follows the graph from found memories: links in both directions, and shared tags and clusters. */
export async function cascade(
  on: Reader,
  { depth, decay }: Recipe["cascade"],
  seeds: readonly { id: string; score: number }[],
): Promise<Reached[]> {
  const reached = new Map<string, Reached>()
  const known = new Set(seeds.map(({ id }) => id))
  let frontier = new Map(seeds.map(({ id, score }) => [id, score]))
  for (let step = 1; step <= depth && frontier.size > 0; step += 1) {
    const found = await Promise.all([
      followLinks(on, frontier, decay),
      // A path through a tag or cluster has two edges.
      step === 1 && depth >= 2 ? followGroups(on, frontier, decay) : [],
    ])
    frontier = new Map()
    for (const one of found.flat()) {
      if (known.has(one.id) || (reached.get(one.id)?.score ?? 0) >= one.score) continue
      if (!reached.has(one.id)) frontier.set(one.id, one.score)
      reached.set(one.id, one)
    }
  }
  return [...reached.values()].sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
}

async function followLinks(on: Reader, from: ReadonlyMap<string, number>, decay: number): Promise<Reached[]> {
  const kinds = linkKinds.filter((kind) => kind !== "inferred-tag")
  const edges = await edgesAt(on, [...from.keys()], kinds)
  return edges.flatMap(({ source, kind, target, weight }) => {
    const share = edgeFactors[kind] === "weight" ? weight : edgeFactors[kind]
    return [
      [source, target],
      [target, source],
    ].flatMap(([start = "", end = ""]) => {
      const score = from.get(start)
      return score === undefined ? [] : [{ id: end, score: score * share * decay, via: kind }]
    })
  })
}

interface MemberRow {
  target: string
  source: string
  kind: EdgeKind
}

async function followGroups(
  on: Reader,
  from: ReadonlyMap<string, number>,
  decay: number,
): Promise<Reached[]> {
  const kinds: EdgeKind[] = [...tagKinds, "in-cluster"]
  const edges = await selectEdges(
    on,
    sql`source in ${sqlList([...from.keys()])} and kind in ${sqlList(kinds)}`,
  )
  const groups = new Map<string, number>()
  for (const { source, kind, target } of edges) {
    const score = (from.get(source) ?? 0) * Number(edgeFactors[kind]) * decay
    if (score > (groups.get(target) ?? 0)) groups.set(target, score)
  }
  if (groups.size === 0) return []
  const members = await membersOf(on, [...groups.keys()], kinds)
  return members.flatMap(({ source, target, kind }) => {
    const known = groups.get(target)
    if (known === undefined) return []
    const score = known * Number(edgeFactors[kind]) * decay
    return [{ id: source, score, via: target.replace(/^(tag|cluster):/, "$1 ") }]
  })
}

/** The newest members of groups that are not too large. */
async function membersOf(on: Reader, groups: string[], kinds: EdgeKind[]): Promise<MemberRow[]> {
  const small = await smallGroups(on, groups, kinds)
  if (small.length === 0) return []
  return on.read<MemberRow>(sql`
    select target, source, kind from (
      select target, source, kind,
        row_number() over (partition by target order by created_at desc, source desc) as rank
      from edges where target in ${sqlList(small)} and kind in ${sqlList(kinds)}
    ) members where rank <= ${maxFromGroup}`)
}

/** The groups with at most `maxGroupSize` members; counting stops there. */
async function smallGroups(on: Reader, groups: string[], kinds: EdgeKind[]): Promise<string[]> {
  const counted = groups.map(
    (group) => sql`select cast(${group} as text) as target, (select count(*) from (
      select 1 from edges where target = ${group} and kind in ${sqlList(kinds)} limit ${maxGroupSize + 1}
    ) members) as size`,
  )
  const rows = await on.read<{ target: string; size: number }>(joinSql(counted, sql` union all `))
  return rows.filter(({ size }) => size <= maxGroupSize).map(({ target }) => target)
}
