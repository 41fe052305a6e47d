import type { Client } from "../../api/client.ts"
import type { Answer } from "../../api/contract/answers.ts"
import type { CycleJson, QueueItemJson, RequestJson } from "../../api/contract/tending-answers.ts"
import { count } from "../../base/text/text.ts"
import { refuseAgents } from "../cli/commands/tending/inbox.ts"
import type { TuiNeeds } from "./needs.ts"

/** A key and its description. */
export interface KeyHelp {
  key: string
  does: string
}

/** What a key does with the selected item; returns a message. */
export interface KeyAction<T> extends KeyHelp {
  act(client: Client, needs: TuiNeeds, chosen: T): Promise<string>
}

/** An action that is bound to one row. */
export interface RowKey extends KeyHelp {
  act(client: Client, needs: TuiNeeds): Promise<string>
}

/** Binds actions to what a row shows, so that they never act on a newer item. */
export function keysFor<T>(actions: readonly KeyAction<T>[], chosen: T): RowKey[] {
  return actions.map(({ key, does, act }) => ({
    key,
    does,
    act: (client, needs) => act(client, needs, chosen),
  }))
}

export type Conflict = Answer<"conflicts">["conflicts"][number]

export const requestKeys: readonly KeyAction<RequestJson>[] = (["approve", "deny"] as const).map((kind) => ({
  key: kind.charAt(0),
  does: kind,
  async act(client, needs, { id, digest, call }) {
    refuseAgents(needs)
    await client.decide(id, { kind, digest, from: "tui" })
    if (kind === "deny") return "Denied."
    return call === null ? "Approved; the agent learns of it in its next cycle." : "Approved; it runs once."
  },
}))

const keeping = [
  { key: "n", keep: "this", does: "keep newer" },
  { key: "o", keep: "other", does: "keep older" },
  { key: "b", keep: "both", does: "both" },
] as const

export const conflictKeys: readonly KeyAction<Conflict>[] = keeping.map(({ key, keep, does }) => ({
  key,
  does,
  async act(client, _needs, { memories: [newer, older] }) {
    await client.resolve({ id: newer.id, other: older.id, keep })
    return `${keep === "both" ? "Kept both" : "Resolved"}; \`reverie undo\` undoes it.`
  },
}))

export const cycleKeys: readonly KeyAction<CycleJson>[] = [
  {
    key: "u",
    does: "undo",
    async act(client, _needs, { id }) {
      const undone = await client.undo({ operation: id })
      const kept = "kept" in undone ? undone.kept.map(({ reason }) => ` Kept: ${reason}`) : []
      const back = `\`reverie undo ${undone.operation}\` brings it back.`
      return `Undone (${count(undone.changes, "change")}); ${back}${kept.join("")}`
    },
  },
]

export const memoryKeys: readonly KeyAction<{ id: string }>[] = [
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

export const queueKeys: readonly KeyAction<QueueItemJson>[] = [
  {
    key: "x",
    does: "cancel",
    async act(client, _needs, { id }) {
      await client.queueCancel(id)
      return "Cancelled."
    },
  },
]
