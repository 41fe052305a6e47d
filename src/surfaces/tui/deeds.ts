import type { Client } from "../../api/client.ts"
import type { Answer } from "../../api/contract/answers.ts"
import type { CycleJson, QueueItemJson, RequestJson } from "../../api/contract/tending-answers.ts"
import { count } from "../../base/text/text.ts"
import { refuseAgents } from "../cli/commands/tending/inbox.ts"
import type { TuiNeeds } from "./needs.ts"

/** A key and what it does, for whoever reads it. */
export interface KeyHelp {
  key: string
  does: string
}

/** Something that a key does with what is selected; it tells what was done. */
export interface Deed<T> extends KeyHelp {
  act(client: Client, needs: TuiNeeds, chosen: T): Promise<string>
}

/** The same for one row, with what it shows. */
export interface RowKey extends KeyHelp {
  act(client: Client, needs: TuiNeeds): Promise<string>
}

/** What keys do with one row. They act on what it showed, and on nothing that came meanwhile. */
export function keysFor<T>(deeds: readonly Deed<T>[], chosen: T): RowKey[] {
  return deeds.map(({ key, does, act }) => ({
    key,
    does,
    act: (client, needs) => act(client, needs, chosen),
  }))
}

export type Conflict = Answer<"conflicts">["conflicts"][number]

export const requestDeeds: readonly Deed<RequestJson>[] = (["approve", "deny"] as const).map((kind) => ({
  key: kind.charAt(0),
  does: kind,
  async act(client, needs, { id, digest, call }) {
    refuseAgents(needs)
    await client.decide(id, { kind, digest, from: "tui" })
    if (kind === "deny") return "Denied."
    return call === null ? "Approved; the agent is told with its next cycle." : "Approved; it runs once."
  },
}))

const keeping = [
  { key: "n", keep: "this", does: "keep newer" },
  { key: "o", keep: "other", does: "keep older" },
  { key: "b", keep: "both", does: "both" },
] as const

export const conflictDeeds: readonly Deed<Conflict>[] = keeping.map(({ key, keep, does }) => ({
  key,
  does,
  async act(client, _needs, { memories: [newer, older] }) {
    await client.resolve({ id: newer.id, other: older.id, keep })
    return `${keep === "both" ? "Both are kept" : "Settled"}; \`reverie undo\` takes it back.`
  },
}))

export const cycleDeeds: readonly Deed<CycleJson>[] = [
  {
    key: "u",
    does: "undo",
    async act(client, _needs, { id }) {
      const undone = await client.undo({ operation: id })
      const kept = "kept" in undone ? undone.kept.map(({ reason }) => ` Kept: ${reason}`) : []
      const back = `\`reverie undo ${undone.operation}\` brings it back.`
      return `Taken back (${count(undone.changes, "change")}); ${back}${kept.join("")}`
    },
  },
]

export const memoryDeeds: readonly Deed<{ id: string }>[] = [
  {
    key: "f",
    does: "forget",
    async act(client, _needs, { id }) {
      await client.forget({ ids: [id] })
      return "Forgotten; `reverie undo` brings it back."
    },
  },
  {
    key: "+",
    does: "helpful",
    async act(client, _needs, { id }) {
      await client.rate({ id, rating: "helpful" })
      return "Noted: it helped."
    },
  },
]

export const queueDeeds: readonly Deed<QueueItemJson>[] = [
  {
    key: "x",
    does: "cancel",
    async act(client, _needs, { id }) {
      await client.queueCancel(id)
      return "Cancelled."
    },
  },
]
