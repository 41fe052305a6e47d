import type { Client } from "../../api/client.ts"
import type { EntryJson, HitJson } from "../../api/contract/memory-answers.ts"
import type { CycleJson, RequestJson } from "../../api/contract/tending-answers.ts"
import { parseTime } from "../../base/clock.ts"
import { cycleRows, cycleText } from "../cli/view/cycle.ts"
import { contentOf, entryRow } from "../cli/view/entry.ts"
import { requestText } from "../cli/view/request.ts"
import { inTime, timeAgo } from "../cli/view/times.ts"
import {
  type Conflict,
  conflictKeys,
  cycleKeys,
  type KeyHelp,
  keysFor,
  memoryKeys,
  queueKeys,
  type RowKey,
  requestKeys,
} from "./key-actions.ts"
import type { TuiNeeds } from "./needs.ts"

/** One line of a page's list, and its preview. */
export interface Row {
  id: string
  cells: readonly string[]
  preview: string
  /** The keys that act on it. */
  keys: readonly RowKey[]
}

/** One page: its list and its keys. */
export interface Page {
  name: string
  /** Shown while the list is empty. */
  empty: string
  /** All keys that a row may have. */
  keys: readonly KeyHelp[]
  load(client: Client, needs: TuiNeeds, query: string): Promise<Row[]>
}

const dayMs = 86_400_000
const mostRows = 100
const mostConflicts = 20

const today: Page = {
  name: "Today",
  empty: "Nothing was learned in the last day, and nothing waits for you.",
  keys: [...requestKeys, ...conflictKeys, ...cycleKeys],
  async load(client, needs) {
    const now = needs.clock.now()
    const [{ requests }, { conflicts }, { cycles }, { entries }] = await Promise.all([
      client.inbox(),
      client.conflicts({ project: needs.cwd, limit: mostConflicts }),
      client.cycles({ limit: 3 }),
      client.journal({ limit: 500, newest: "true" }),
    ])
    const gone = goneSince(entries)
    const learned = entries.filter(
      ({ kind, at, subject }) =>
        kind === "memory.saved" && now - (parseTime(at) ?? 0) < dayMs && !gone.has(subject ?? ""),
    )
    return [
      ...requests.map((one) => rowOfRequest(needs, one, ["waits", one.action, one.description])),
      ...conflicts.map((one) => rowOfConflict(one, now)),
      ...cycles.map((one) => {
        const cells = ["cycle", timeAgo(one.startedAt, now), one.summary ?? one.status]
        return rowOfCycle(needs, one, cells)
      }),
      ...learned.toReversed().map((entry) => {
        const cells = ["learned", timeAgo(entry.at, now), contentOf(entry.data)]
        return rowOfEntry(entry, cells)
      }),
    ]
  },
}

/** The memories that are undone, forgotten, replaced or archived after the last of these entries. */
function goneSince(entries: readonly EntryJson[]): Set<string> {
  const gone = new Set<string>()
  for (const { kind, subject, data } of entries) {
    if (!kind.startsWith("memory.") || subject === null) continue
    const { after } = (data ?? {}) as { after?: { status?: string } | null }
    if (after === null || ["superseded", "archived", "forgotten"].includes(after?.status ?? ""))
      gone.add(subject)
    else if (after !== undefined) gone.delete(subject)
  }
  return gone
}

const memory: Page = {
  name: "Memory",
  empty: "Nothing found. Type / and some words.",
  keys: memoryKeys,
  async load(client, needs, query) {
    const { cwd: project } = needs
    if (query.trim() === "") {
      const { memories } = await client.list({ limit: mostRows, project })
      return memories.map(({ id, type, content, tags, createdAt, source }) => {
        const facts = `${type}, ${source}, ${createdAt.slice(0, 10)}${tagsText(tags)}`
        const preview = `${content}\n\n${facts}\n${id}`
        return { id, cells: [type, content], preview, keys: keysFor(memoryKeys, { id }) }
      })
    }
    const { results } = await client.search({ query, limit: 20, project, gate: "true" })
    return results.map((hit) => ({
      id: hit.id,
      cells: [hit.score.toFixed(2), hit.type, hit.content],
      preview: hitText(hit),
      keys: keysFor(memoryKeys, hit),
    }))
  },
}

function hitText(hit: HitJson): string {
  const { content, type, at, source, tags, score, sure, via, older, outdated } = hit
  const facts = [
    `${type}, ${source}, ${at.slice(0, 10)}${tagsText(tags)}`,
    `score ${score.toFixed(2)}${sure ? "" : " (not sure)"}, found by ${[via].flat().join(", ")}`,
    ...(older ? [`A newer memory contradicts it: ${older}`] : []),
    ...(outdated ? [`May be out of date: ${outdated.join("; ")}`] : []),
    hit.id,
  ]
  return `${content}\n\n${facts.join("\n")}`
}

function tagsText(tags: readonly string[]): string {
  return tags.map((tag) => `, #${tag}`).join("")
}

const inbox: Page = {
  name: "Inbox",
  empty: "Nothing waits for you.",
  keys: requestKeys,
  async load(client, needs) {
    const { requests } = await client.inbox()
    return requests.map((one) => rowOfRequest(needs, one, [one.urgency, one.action, one.description]))
  },
}

const queue: Page = {
  name: "Queue",
  empty: "Nothing is planned. `reverie queue add TEXT` plans something.",
  keys: queueKeys,
  async load(client, { clock }) {
    const { items } = await client.queue()
    return items.map((item) => {
      const { id, priority, dueAt, context, state } = item
      const due = state === "claimed" ? "in progress" : inTime(dueAt, clock.now())
      const preview = `${context}\n\n${priority}, ${due}\n${id}`
      return { id, cells: [due, priority, context], preview, keys: keysFor(queueKeys, item) }
    })
  },
}

const cycles: Page = {
  name: "Cycles",
  empty: "No cycle has run yet. `reverie wake` starts one.",
  keys: cycleKeys,
  async load(client, needs) {
    const { cycles: found } = await client.cycles({ limit: mostRows })
    const rows = cycleRows(needs, found)
    return found.map((one, index) => rowOfCycle(needs, one, rows[index] ?? []))
  },
}

const journal: Page = {
  name: "Journal",
  empty: "Nothing has happened yet.",
  keys: [],
  async load(client) {
    const { entries } = await client.journal({ limit: mostRows, newest: "true" })
    return entries.toReversed().map((entry) => rowOfEntry(entry, entryRow(entry)))
  },
}

/** All pages, in the order of their numbers. */
export const pages: readonly Page[] = [today, memory, inbox, queue, cycles, journal]

function rowOfRequest(needs: TuiNeeds, request: RequestJson, cells: readonly string[]): Row {
  return { id: request.id, cells, preview: requestText(needs, request), keys: keysFor(requestKeys, request) }
}

function rowOfConflict(conflict: Conflict, now: number): Row {
  const { kind, at, memories } = conflict
  const [newer, older] = memories
  const isUpdate = kind === "may-replace"
  const sideText = ({ content, createdAt, label, source }: Conflict["memories"][number]) =>
    `${content}\n  ${createdAt.slice(0, 10)}, ${label ?? source}`
  return {
    id: `${newer.id} ${older.id}`,
    cells: [isUpdate ? "update?" : "conflict", timeAgo(at, now), `${newer.content} ↔ ${older.content}`],
    preview: [sideText(newer), isUpdate ? "may replace" : "contradicts", sideText(older)].join("\n\n"),
    keys: keysFor(conflictKeys, conflict),
  }
}

function rowOfCycle(needs: TuiNeeds, cycle: CycleJson, cells: readonly string[]): Row {
  const keys = cycle.verdict === "undone" ? [] : keysFor(cycleKeys, cycle)
  return { id: cycle.id, cells, preview: cycleText(needs, cycle), keys }
}

function rowOfEntry(entry: EntryJson, cells: readonly string[]): Row {
  const about = contentOf(entry.data)
  const facts = [`${entry.kind} by ${entry.actor}`, entry.at, entry.subject ?? "", entry.operation ?? ""]
  const preview = [...(about === "" ? [] : [about, ""]), ...facts.filter((line) => line !== "")].join("\n")
  return { id: `entry ${entry.seq}`, cells, preview, keys: [] }
}
