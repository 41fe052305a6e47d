import type { Client } from "../../api/client.ts"
import type { CycleJson, EntryJson, HitJson, RequestJson } from "../../api/contract.ts"
import { parseTime } from "../../base/clock.ts"
import { refuseAgents } from "../cli/commands/tending/inbox.ts"
import { cycleRows, cycleText } from "../cli/view/cycle.ts"
import { contentOf, entryRow } from "../cli/view/entry.ts"
import { requestRow, requestText } from "../cli/view/request.ts"
import { inTime, timeAgo } from "../cli/view/times.ts"
import type { TuiNeeds } from "./needs.ts"

/** One line of a page's list, and what is shown of it while it is selected. */
export interface Row {
  id: string
  cells: readonly string[]
  preview: string
}

/** Something that a key does with the selected row; it tells what was done. */
interface PageKey {
  key: string
  does: string
  act(client: Client, needs: TuiNeeds, id: string): Promise<string>
}

/** One page: what it lists, and what can be done there. */
export interface Page {
  name: string
  /** What stands there while the list is empty. */
  empty: string
  keys: readonly PageKey[]
  load(client: Client, needs: TuiNeeds, query: string): Promise<Row[]>
}

const dayMs = 86_400_000
const mostRows = 100

const undo: PageKey = {
  key: "u",
  does: "undo",
  async act(client, _needs, id) {
    await client.undo(id)
    return "Taken back; undo again brings it back."
  },
}

const today: Page = {
  name: "Today",
  empty: "Nothing was learned in the last day, and nothing waits for you.",
  keys: [],
  async load(client, needs) {
    const now = needs.clock.now()
    const [{ requests }, { cycles }, { entries }] = await Promise.all([
      client.inbox(),
      client.cycles({ limit: 3 }),
      client.journal({ limit: 500, newest: "true" }),
    ])
    const learned = entries.filter(
      ({ kind, at }) => kind === "memory.saved" && now - (parseTime(at) ?? 0) < dayMs,
    )
    return [
      ...requests.map((one) => rowOfRequest(needs, one, ["waits", one.action, one.description])),
      ...cycles.map((one) => {
        const told = ["cycle", timeAgo(one.startedAt, now), one.summary ?? one.status]
        return rowOfCycle(needs, one, told)
      }),
      ...learned.toReversed().map((entry) => {
        const told = ["learned", timeAgo(entry.at, now), contentOf(entry.data)]
        return rowOfEntry(entry, told)
      }),
    ]
  },
}

const memory: Page = {
  name: "Memory",
  empty: "Nothing found. Type / and some words.",
  keys: [
    {
      key: "f",
      does: "forget",
      async act(client, _needs, id) {
        await client.forget([id])
        return "Forgotten; `reverie undo` brings it back."
      },
    },
    {
      key: "+",
      does: "helpful",
      async act(client, _needs, id) {
        await client.rate({ id, rating: "helpful" })
        return "Noted: it helped."
      },
    },
  ],
  async load(client, needs, query) {
    const { cwd: project } = needs
    if (query.trim() === "") {
      const { memories } = await client.list({ limit: mostRows, project })
      return memories.map(({ id, type, content, tags, createdAt, source }) => {
        const told = `${type}, ${source}, ${createdAt.slice(0, 10)}${tagsText(tags)}`
        return { id, cells: [type, content], preview: `${content}\n\n${told}\n${id}` }
      })
    }
    const { results } = await client.search({ query, limit: 20, project, gate: "true" })
    return results.map((hit) => ({
      id: hit.id,
      cells: [hit.score.toFixed(2), hit.type, hit.content],
      preview: hitText(hit),
    }))
  },
}

function hitText(hit: HitJson): string {
  const { content, type, at, source, tags, score, sure, via, older, outdated } = hit
  const told = [
    `${type}, ${source}, ${at.slice(0, 10)}${tagsText(tags)}`,
    `score ${score.toFixed(2)}${sure ? "" : " (not sure)"}, found by ${[via].flat().join(", ")}`,
    ...(older ? [`An older memory says otherwise: ${older}`] : []),
    ...(outdated ? [`May be out of date: ${outdated.join("; ")}`] : []),
    hit.id,
  ]
  return `${content}\n\n${told.join("\n")}`
}

function tagsText(tags: readonly string[]): string {
  return tags.map((tag) => `, #${tag}`).join("")
}

const inbox: Page = {
  name: "Inbox",
  empty: "Nothing waits for you.",
  keys: (["approve", "deny"] as const).map((kind) => ({
    key: kind.charAt(0),
    does: kind,
    async act(client, needs, id) {
      refuseAgents(needs)
      // The digest of what was shown: nothing else can be decided by this key.
      const { digest } = await client.request(id)
      await client.decide(id, { kind, digest, from: "tui" })
      return kind === "approve" ? "Approved; it runs once." : "Denied."
    },
  })),
  async load(client, needs) {
    const { requests } = await client.inbox()
    return requests.map((one) => rowOfRequest(needs, one, requestRow(needs, one, one.id.slice(-6))))
  },
}

const queue: Page = {
  name: "Queue",
  empty: "Nothing is planned. `reverie queue add TEXT` plans something.",
  keys: [
    {
      key: "x",
      does: "cancel",
      async act(client, _needs, id) {
        await client.queueCancel(id)
        return "Cancelled."
      },
    },
  ],
  async load(client, { clock }) {
    const { items } = await client.queue()
    return items.map(({ id, priority, dueAt, context, state }) => {
      const due = state === "claimed" ? "in work" : inTime(dueAt, clock.now())
      return { id, cells: [due, priority, context], preview: `${context}\n\n${priority}, ${due}\n${id}` }
    })
  },
}

const cycles: Page = {
  name: "Cycles",
  empty: "No cycle has run yet. `reverie wake` begins one.",
  keys: [undo],
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
  return { id: request.id, cells, preview: requestText(needs, request) }
}

function rowOfCycle(needs: TuiNeeds, cycle: CycleJson, cells: readonly string[]): Row {
  return { id: cycle.id, cells, preview: cycleText(needs, cycle) }
}

function rowOfEntry(entry: EntryJson, cells: readonly string[]): Row {
  const about = contentOf(entry.data)
  const told = [`${entry.kind} by ${entry.actor}`, entry.at, entry.subject ?? "", entry.operation ?? ""]
  const preview = [...(about === "" ? [] : [about, ""]), ...told.filter((line) => line !== "")].join("\n")
  return { id: `entry ${entry.seq}`, cells, preview }
}
