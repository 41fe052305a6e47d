import { z } from "zod"
import { programIn } from "../hook-command.ts"
import { appendItem, nodeAt, removeAt, setMember } from "./json-edit.ts"
import { parseJsonTree, plainValue } from "./json-tree.ts"
import { isSame, type Part } from "./settings-file.ts"

/** A hook as Claude Code, Codex and Gemini CLI are told of it. */
export type Handler =
  | { type: "command"; command: string; timeout: number; name?: string }
  | { type: "http"; url: string; headers: Record<string, string>; timeout: number }

/** Which hook for which event. */
export type WantedHooks = readonly { event: string; handler: Handler }[]

/** Our hooks under `hooks` in a JSON file of one of these tools. */
export function jsonHooks(wanted: WantedHooks): Part {
  return {
    name: "hook",
    add(text) {
      if (isSame(oursIn(text).map(entryOf), wanted.map(entryOf))) return text
      return wanted.reduce(addOne, removeAll(text))
    },
    remove: removeAll,
    find: (text) => oursIn(text).map(({ handler }) => targetOf(handler) ?? ""),
    lacks(text) {
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

function entryOf({ event, handler }: { event: string; handler: unknown }) {
  return { event, handler }
}

const groupSchema = z.object({ hooks: z.array(z.unknown()) })

/** A handler of ours, and where it stands. */
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

/** The program or address of ours that a handler leads to; undefined where it is not ours. */
function targetOf(handler: unknown): string | undefined {
  const parsed = handlerSchema.safeParse(handler)
  if (!parsed.success) return undefined
  if ("command" in parsed.data) return programIn(parsed.data.command)
  return /^http:\/\/127\.0\.0\.1:\d+\/v1\/hooks\//.test(parsed.data.url) ? parsed.data.url : undefined
}

/** Takes ours away, the last first so that positions stay true, with whatever is empty then. */
function removeAll(text: string): string {
  const found = oursIn(text).toReversed()
  const removed = found.reduce((edited, { event, group, index }) => {
    const inside = ["hooks", event, group, "hooks"]
    const without = removeAt(edited, [...inside, index])
    const emptied = dropIfEmpty(without, inside, 1)
    return dropIfEmpty(emptied, ["hooks", event], 0)
  }, text)
  return found.length === 0 ? text : dropIfEmpty(removed, ["hooks"], 0)
}

/** Takes away what is empty at a path, or what holds it so many steps above. */
function dropIfEmpty(text: string, path: readonly (string | number)[], above: number): string {
  const node = nodeAt(parseJsonTree(text), path)
  const isEmpty =
    (node?.kind === "array" && node.items.length === 0) ||
    (node?.kind === "object" && node.members.length === 0)
  return isEmpty ? removeAt(text, path.slice(0, path.length - above)) : text
}
