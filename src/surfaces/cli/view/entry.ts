import type { EntryJson } from "../../../api/contract/memory-answers.ts"
import { shorten } from "../../../base/text/text.ts"

/** A journal entry in one row: time, kind, actor, and subject. */
export function entryRow(entry: EntryJson): string[] {
  const what = shorten([shortSubject(entry.subject ?? ""), contentOf(entry.data)].join("  "), 200)
  return [entry.at.slice(5, 19).replace("T", " "), entry.kind.padEnd(18), entry.actor.padEnd(6), what]
}

/** Our own ids are shortened to their end; other names are shown whole. */
function shortSubject(subject: string): string {
  return /^[a-z]{1,8}_[0-9a-z]{12,}$/.test(subject) ? subject.slice(-8) : subject
}

/** The text of the memory that an entry is about, if any. */
export function contentOf(data: unknown): string {
  const images = data as { before?: { content?: string } | null; after?: { content?: string } | null } | null
  return images?.after?.content ?? images?.before?.content ?? ""
}
