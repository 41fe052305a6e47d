import { newId, systemRandom } from "../../src/base/random.ts"
import type { Database } from "../../src/storage/database.ts"
import { sql, sqlRows } from "../../src/storage/sql.ts"

/** What a made-up store is about: a name, and words of it. */
const topics: readonly [string, readonly string[]][] = [
  ["staging and releases", ["staging", "release", "rollback", "smoke test", "build number"]],
  ["tide tables", ["tide table", "harbour office", "high water", "gauge", "forecast"]],
  ["billing", ["invoice", "credit note", "tax rate", "ledger", "payment run"]],
  ["map tiles", ["tile cache", "zoom level", "coastline", "projection", "layer"]],
  ["tests", ["fixture", "snapshot", "flaky test", "coverage", "container"]],
  ["sign-in", ["session cookie", "passkey", "token", "sign-out", "rate limit"]],
  ["search", ["index", "synonym", "ranking", "stop word", "query log"]],
  ["vessels", ["call sign", "vessel", "berth", "pilot", "manifest"]],
  ["weather", ["wind speed", "pressure", "station", "buoy", "storm warning"]],
  ["mail", ["bounce", "template", "digest", "unsubscribe link", "queue"]],
  ["database", ["migration", "index scan", "replica", "vacuum", "backup"]],
  ["style", ["early return", "naming", "comment", "commit message", "lint rule"]],
]
const types = ["fact", "preference", "procedure", "negative", "entity", "observation", "correction"] as const
const sentences = [
  (word: string, n: number) => `The ${word} of part ${n} is checked before every deploy.`,
  (word: string, n: number) => `For the ${word}, use the setting ${n} and not the default.`,
  (word: string, n: number) => `When the ${word} fails, look at log number ${n} first.`,
  (word: string, n: number) => `Never change the ${word} on host ${n} by hand.`,
  (word: string, n: number) => `Team ${n} owns the ${word} and answers within a day.`,
]

/** As many made-up memories as are wanted, one JSON line each; the same each time. */
export function* memoryLines(count: number): Generator<string> {
  for (let index = 0; index < count; index += 1) {
    const [topic, words] = topicOf(index)
    const word = words[index % words.length] ?? ""
    const content = sentences[(index * 7) % sentences.length]?.(word, index) ?? ""
    const type = types[(index * 5 + Math.floor(index / 11)) % types.length]
    yield `${JSON.stringify({ content, type, tags: [topic.replaceAll(" ", "-")], sourceId: `made-${index}` })}\n`
  }
}

/** Topics are not equally large. */
function topicOf(index: number): (typeof topics)[number] {
  const spread = Math.floor((((index * 7919) % 1000) ** 1.35 / 1000 ** 1.35) * topics.length)
  return topics[Math.min(spread, topics.length - 1)] ?? ["", []]
}

/** Puts made-up memories into clusters by their topic, and links some, as the garden would have. */
export async function gatherByTopic(db: Database, now: number): Promise<void> {
  const rows = await db.read<{ id: string; tag: string }>(sql`
    select e.source as id, e.target as tag from edges e where e.kind = 'has-tag' order by e.source`)
  const byTopic = Map.groupBy(rows, ({ tag }) => tag.replace(/^tag:/, "").replaceAll("-", " "))
  await db.write(async (transaction) => {
    for (const [name, members] of byTopic) {
      if (!topics.some(([topic]) => topic.replaceAll("-", " ") === name)) continue
      const id = newId(systemRandom, "cl")
      const values = [id, null, name, "made-up", Buffer.alloc(4), 0, members.length, now]
      await transaction.run(
        sql`insert into clusters (id, project, name, model, centroid, radius, members, updated_at) values ${sqlRows([values])}`,
      )
      const edges = members.map((member) => [member.id, "in-cluster", `cluster:${id}`, 1, now])
      const links = members.flatMap((member, place) => {
        const other = members[(place * 13 + 7) % members.length]
        return place % 5 === 0 && other && other.id !== member.id
          ? [[member.id, "relates-to", other.id, 1, now]]
          : []
      })
      const all = [...edges, ...links]
      for (let from = 0; from < all.length; from += 500)
        await transaction.run(sql`
          insert into edges (source, kind, target, weight, created_at) values ${sqlRows(all.slice(from, from + 500))}
          on conflict do nothing`)
    }
  })
}
