import type { EntryJson } from "../../../api/contract/memory-answers.ts"
import { shorten } from "../../../base/text/text.ts"

/** A journal entry in one row: when, what kind, who, and what it is about. */
export function entryRow(entry: EntryJson): string[] {
  const what = shorten([shortSubject(entry.subject ?? ""), contentOf(entry.data)].join("  "), 200)
  return [entry.at.slice(5, 19).replace("T", " "), entry.kind.padEnd(18), entry.actor.padEnd(6), what]
}

/** The end of one of our own ids tells enough; what others gave a name is shown by it. */
function shortSubject(subject: string): string {
  return /^[a-z]{1,8}_[0-9a-z]{12,}$/.test(subject) ? subject.slice(-8) : subject
}

/** The text of the memory an entry is about, if it is about one. */
export function contentOf(data: unknown): string {
  const images = data as { before?: { content?: string } | null; after?: { content?: string } | null } | null
  return images?.after?.content ?? images?.before?.content ?? ""
}
