import { isDeepStrictEqual } from "node:util"
import { z } from "zod"
import { hookProgramIn } from "../hook-command.ts"
import { appendItem, nodeAt, removeAt, removeIfEmpty, setMember } from "./json-edit.ts"
import { parseJsonTree, plainValue } from "./json-tree.ts"
import type { SettingsPart } from "./settings-file.ts"

/** A hook in the settings of Claude Code, Codex and Gemini CLI. */
type Handler =
  | { type: "command"; command: string; timeout: number; name?: string }
  | { type: "http"; url: string; headers: Record<string, string>; timeout: number }

/** The hook for each event. */
export type WantedHooks = readonly { event: string; handler: Handler }[]

/** Our hooks under `hooks` in a JSON settings file. */
export function jsonHooks(wanted: WantedHooks): SettingsPart {
  return {
    name: "hook",
    add(text) {
      const current = oursIn(text).map(({ event, handler }) => ({ event, handler }))
      if (isDeepStrictEqual(current, wanted)) return text
      return wanted.reduce(addOne, removeAll(text))
    },
    remove: removeAll,
    find: (text) => oursIn(text).map(({ handler }) => targetOf(handler) ?? ""),
    missing(text) {
      const there = oursIn(text).map(({ event }) => event)
      const missing = wanted.filter(({ event }) => !there.includes(event))
      return there.length === 0 ? [] : missing.map(({ event }) => event)
    },
  }
}

function addOne(text: string, { event, handler }: WantedHooks[number]): string {
  const group = { hooks: [handler] }
  const isThere = nodeAt(parseJsonTree(text), ["hooks", event]) !== undefined
  return isThere ? appendItem(text, ["hooks", event], group) : setMember(text, ["hooks", event], [group])
}

const groupSchema = z.object({ hooks: z.array(z.unknown()) })

/** One of our handlers, and its position. */
interface Found {
  event: string
  handler: unknown
  group: number
  index: number
}

function oursIn(text: string): Found[] {
  return ownHooksIn(plainValue(nodeAt(parseJsonTree(text), ["hooks"])))
}

/** Our handlers among hooks of this form. */
export function ownHooksIn(hooks: unknown): Found[] {
  return eventsIn(hooks).flatMap(([event, groups]) =>
    groups.flatMap((group, groupIndex) => {
      const parsed = groupSchema.safeParse(group)
      const handlers = parsed.success ? parsed.data.hooks : []
      return handlers.flatMap((handler, index) =>
        targetOf(handler) === undefined ? [] : [{ event, handler, group: groupIndex, index }],
      )
    }),
  )
}

function eventsIn(hooks: unknown): [string, unknown[]][] {
  if (typeof hooks !== "object" || hooks === null) return []
  return Object.entries(hooks).filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1]))
}

const handlerSchema = z.union([z.object({ command: z.string() }), z.object({ url: z.string() })])

/** The program or address that a handler of ours points to; undefined if it is not ours. */
function targetOf(handler: unknown): string | undefined {
  const parsed = handlerSchema.safeParse(handler)
  if (!parsed.success) return undefined
  if ("command" in parsed.data) return hookProgramIn(parsed.data.command)
  return /^http:\/\/127\.0\.0\.1:\d+\/v1\/hooks\//.test(parsed.data.url) ? parsed.data.url : undefined
}

/** Removes our hooks and what is empty afterwards, from the last to the first, so that positions stay valid. */
function removeAll(text: string): string {
  const found = oursIn(text).toReversed()
  const removed = found.reduce((edited, { event, group, index }) => {
    const inside = ["hooks", event, group, "hooks"]
    const without = removeAt(edited, [...inside, index])
    const emptied = removeIfEmpty(without, inside, 1)
    return removeIfEmpty(emptied, ["hooks", event])
  }, text)
  return found.length === 0 ? text : removeIfEmpty(removed, ["hooks"])
}
