import { UserError } from "../../../base/errors.ts"
import { appendEntry, type By, rewriteEntries } from "../../../storage/journal.ts"
import { earlierResult } from "../../../storage/operation.ts"
import { sql, sqlList } from "../../../storage/sql.ts"
import type { Reader, Transaction } from "../../../storage/transaction.ts"
import { cleanTags } from "../../model/memory.ts"
import type { MemoryCore } from "../../model/memory-core.ts"
import { rootsOf } from "../../model/project.ts"
import { createCleaner } from "../../model/screen-memory.ts"
import { batchesOf } from "../../model/store/batch.ts"

/** The maximum length of a description, in characters. */
const maxDescription = 300

/** A change of a tag's description; null for none. Undo restores `before`. */
export interface DescriptionChange {
  before: string | null
  after: string | null
}

interface Description {
  tag: string
  /** An empty text deletes the description. */
  description: string
  /** The folders the request comes from. */
  from?: string | string[] | undefined
}

/** Sets or deletes the description of a tag that some memory has. */
export async function describeTag(
  core: Pick<MemoryCore, "db" | "clock" | "screen" | "projects">,
  { tag, description, from = [] }: Description,
  by: By,
): Promise<{ tag: string; description: string | null }> {
  const [name = ""] = cleanTags([tag])
  const sourceRoots = await rootsOf(core, [from].flat())
  const clean = await createCleaner(core.screen, { sourceRoots })(description.replaceAll(/\s+/g, " ").trim())
  if (Array.from(clean).length > maxDescription)
    throw new UserError("usage", `The description is too long; use at most ${maxDescription} characters.`)
  return core.db.write(async (transaction) => {
    const earlier = await earlierResult(transaction, by, {
      kind: "tag.described",
      read: ([entry]) => entry?.data as DescriptionChange | undefined,
    })
    if (earlier) return { tag: name, description: earlier.after }
    await requireTag(transaction, name)
    const after = clean === "" ? null : clean
    await putDescription(transaction, name, after, core.clock.now(), by)
    return { tag: name, description: after }
  })
}

async function requireTag(on: Reader, name: string): Promise<void> {
  const found = await on.read(sql`
    select target from edges where target = ${`tag:${name}`} and kind in ('has-tag', 'inferred-tag') limit 1`)
  if (found.length > 0) return
  throw new UserError("not-found", `No memory has the tag ${name}; \`reverie memory tags\` lists all tags.`)
}

/** Writes a tag's description and its journal entry, unless it is unchanged. */
export async function putDescription(
  transaction: Transaction,
  tag: string,
  after: string | null,
  at: number,
  by: By,
): Promise<void> {
  const before = (await descriptionsOf(transaction, [tag])).get(tag) ?? null
  if (before === after) return
  await (after === null
    ? transaction.run(sql`delete from tag_descriptions where tag = ${tag}`)
    : putDescriptions(transaction, [{ tag, description: after }], at, "replace"))
  const data: DescriptionChange = { before, after }
  await appendEntry(transaction, { ...by, at, kind: "tag.described", subject: `tag:${tag}`, data })
}

/** Writes descriptions without journal entries. `how` decides what happens to existing ones. */
export async function putDescriptions(
  transaction: Transaction,
  all: readonly { tag: string; description: string }[],
  at: number,
  how: "replace" | "keep",
): Promise<void> {
  const conflict =
    how === "keep"
      ? sql`on conflict (tag) do nothing`
      : sql`on conflict (tag) do update set description = excluded.description, updated_at = excluded.updated_at`
  for (const { tag, description } of all)
    await transaction.run(sql`
      insert into tag_descriptions (tag, description, updated_at) values (${tag}, ${description}, ${at}) ${conflict}`)
}

/** Purges the descriptions of tags that no memory has any more, also from the journal. */
export async function purgeDescriptions(transaction: Transaction): Promise<void> {
  const isUsed = sql`select substr(target, 5) from edges where kind in ('has-tag', 'inferred-tag')`
  await transaction.run(sql`delete from tag_descriptions where tag not in (${isUsed})`)
  const isUnused = sql`kind = 'tag.described' and substr(subject, 5) not in (${isUsed})`
  await rewriteEntries(transaction, isUnused, { before: null, after: null, purged: true })
}

/** The descriptions of these tags, by tag. */
export async function descriptionsOf(on: Reader, tags: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const some of batchesOf(tags)) {
    const rows = await on.read<{ tag: string; description: string }>(sql`
      select tag, description from tag_descriptions where tag in ${sqlList(some)}`)
    for (const { tag, description } of rows) found.set(tag, description)
  }
  return found
}
