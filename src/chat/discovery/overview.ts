import { UserError } from "../../base/errors.ts"
import type { Core } from "../../storage/core.ts"
import { type By, type JournalEntry, readJournal } from "../../storage/journal.ts"
import { earlierResult } from "../../storage/operation.ts"
import type { Reader } from "../../storage/transaction.ts"
import { allSources, type ListedSource, undoSourceChange } from "./curate.ts"
import { type DiscoveryConfig, isEnabled, sourceKey } from "./sources/source.ts"
import { addedSources, curator, itemCounts } from "./store.ts"

/** A source with the number of its stored entries, and whether it is enabled. */
export interface SourceOverview extends ListedSource {
  entries: number
  isOn: boolean
}

export async function overviewSources(
  db: Reader,
  config: DiscoveryConfig,
  matches: (community: string) => boolean,
): Promise<SourceOverview[]> {
  const counts = await itemCounts(db)
  return (await allSources(db, config, matches)).map((one) => ({
    ...one,
    entries: counts.get(one.key) ?? 0,
    isOn: isEnabled(config, one.family),
  }))
}

/** A change of sources that the agent made; its id undoes it. */
export interface SourceChangeOverview {
  id: string
  at: number
  change: "added" | "removed"
  source: string
  community: string
  reason: string
  /** Whether it is still in effect and can be undone. */
  holds: boolean
}

/** At most this many changes are listed, the newest first. */
const maxChanges = 200

/** The changes of sources that the agent made. */
export async function sourceChanges(
  db: Reader,
  matches: (community: string) => boolean,
): Promise<SourceChangeOverview[]> {
  const there = new Set((await addedSources(db)).map((one) => `${one.community} ${sourceKey(one)}`))
  const kind = ["source.added", "source.removed"]
  const entries = await readJournal(db, { kind, newestFirst: true, limit: maxChanges })
  const listed = new Set<string>()
  return entries.flatMap((entry) => {
    const { community, reason } = dataOf(entry)
    const source = entry.subject ?? ""
    const key = `${community} ${source}`
    const isNewest = !listed.has(key)
    listed.add(key)
    if (entry.actor !== curator || !matches(community)) return []
    const change = entry.kind === "source.added" ? ("added" as const) : ("removed" as const)
    const holds = isNewest && there.has(key) === (change === "added")
    return [{ id: entry.operation, at: entry.at, change, source, community, reason, holds }]
  })
}

function dataOf({ data }: JournalEntry): { community: string; reason: string } {
  const { community, reason } = (data ?? {}) as Record<string, unknown>
  return { community: String(community ?? ""), reason: String(reason ?? "") }
}

/** Undoes a change of the agent; the same request again changes nothing more. */
export async function undoAgentChange(
  needs: Pick<Core, "db" | "clock">,
  id: string,
  by: By,
): Promise<{ source: string; community: string; change: "added" | "removed" }> {
  const entries = await readJournal(needs.db, { operation: id, kind: "source." })
  const [entry] = entries.filter(
    ({ actor, kind }) => actor === curator && (kind === "source.added" || kind === "source.removed"),
  )
  if (entry === undefined)
    throw new UserError(
      "not-found",
      `The agent made no source change ${id}; \`reverie chat sources\` lists its changes.`,
    )
  const change = entry.kind === "source.added" ? ("added" as const) : ("removed" as const)
  const told = { source: entry.subject ?? "", community: dataOf(entry).community, change }
  const again = await earlierResult(needs.db, by, { kind: "source.", read: () => told })
  if (again !== undefined) return again
  if ((await undoSourceChange(needs, id, by)) === 0)
    throw new UserError("conflict", `The change ${id} is no longer in effect; there is nothing to undo.`)
  return told
}
