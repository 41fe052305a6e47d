import { joinSql, sql, sqlList } from "../../storage/sql.ts"
import type { Reader } from "../../storage/transaction.ts"
import { type EdgeKind, edgesAt, linkKinds, selectEdges, tagKinds } from "../model/store/graph.ts"
import type { Recipe } from "./rank/recipe.ts"

/** A memory that the graph led to. */
export interface Reached {
  id: string
  score: number
  /** The way there, such as "relates-to" or "tag deploy". */
  via: string
}

/** How much of a memory's score goes on along an edge; a weighted link carries its own weight. */
const carried: Record<EdgeKind, number | "weight"> = {
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

/** A tag or cluster leads to this many others at most, and one that has more members than that says too little. */
const mostFromGroup = 8
const largestGroup = 200

/** Follows the graph from what was found: links in both directions, and through tags and clusters. */
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
      alongLinks(on, frontier, decay),
      // A tag lies between two memories: that way takes both steps.
      step === 1 && depth >= 2 ? throughGroups(on, frontier, decay) : [],
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

async function alongLinks(on: Reader, from: ReadonlyMap<string, number>, decay: number): Promise<Reached[]> {
  const kinds = linkKinds.filter((kind) => kind !== "inferred-tag")
  const edges = await edgesAt(on, [...from.keys()], kinds)
  return edges.flatMap(({ source, kind, target, weight }) => {
    const share = carried[kind] === "weight" ? weight : carried[kind]
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

async function throughGroups(
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
    const score = (from.get(source) ?? 0) * Number(carried[kind]) * decay
    if (score > (groups.get(target) ?? 0)) groups.set(target, score)
  }
  if (groups.size === 0) return []
  const members = await membersOf(on, [...groups.keys()], kinds)
  return members.flatMap(({ source, target, kind }) => {
    const known = groups.get(target)
    if (known === undefined) return []
    const score = known * Number(carried[kind]) * decay
    return [{ id: source, score, via: target.replace(/^(tag|cluster):/, "$1 ") }]
  })
}

/** The newest members of groups that are small enough to mean something. */
async function membersOf(on: Reader, groups: string[], kinds: EdgeKind[]): Promise<MemberRow[]> {
  const small = await smallGroups(on, groups, kinds)
  if (small.length === 0) return []
  return on.read<MemberRow>(sql`
    select target, source, kind from (
      select target, source, kind,
        row_number() over (partition by target order by created_at desc, source desc) as rank
      from edges where target in ${sqlList(small)} and kind in ${sqlList(kinds)}
    ) members where rank <= ${mostFromGroup}`)
}

/** The groups that are not too large; none is counted further than that. */
async function smallGroups(on: Reader, groups: string[], kinds: EdgeKind[]): Promise<string[]> {
  const counted = groups.map(
    (group) => sql`select cast(${group} as text) as target, (select count(*) from (
      select 1 from edges where target = ${group} and kind in ${sqlList(kinds)} limit ${largestGroup + 1}
    ) members) as size`,
  )
  const rows = await on.read<{ target: string; size: number }>(joinSql(counted, sql` union all `))
  return rows.filter(({ size }) => size <= largestGroup).map(({ target }) => target)
}
