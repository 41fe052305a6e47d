import { isoTime } from "../../base/clock.ts"
import type { Line } from "../../chat/conversation/state.ts"
import type { ThinkInput } from "../../chat/supervisor/think.ts"
import { stripFenced } from "../../llm/fence.ts"

/** A room in a prompt: each message has a number, and only numbered messages can be answered. */
export interface RoomView {
  /** Earlier messages, ours too. */
  before: string
  /** Unaddressed messages since, for reference. */
  background: string
  /** The messages to answer or read. */
  messages: string
  omitted: number
  lineOf(number: number): Line | undefined
  /** The id of the message with this number; null if the number was not shown. */
  idOf(named: string | number | null): string | null
}

/** Limits in characters: of one new or old message, and of all together. The oldest are dropped first. */
const maxNewMessage = 1500
const maxOldMessage = 600
const maxNew = 40_000
const maxOld = 24_000

export function viewRoom({ earlier, history, background, messages, omitted }: ThinkInput): RoomView {
  const numbers = new Map<string, number>()
  const lines = new Map<number, Line>()
  const add = (line: Line) => {
    if (numbers.has(line.id)) return []
    numbers.set(line.id, numbers.size + 1)
    lines.set(numbers.size, line)
    return [line]
  }
  const own = new Set([...background, ...messages].map(({ id }) => id))
  const before = [...earlier, ...history].filter(({ id }) => !own.has(id)).flatMap(add)
  const unaddressed = background.flatMap(add)
  const asked = messages.flatMap(add)
  const write = (some: readonly Line[], longest: number, most: number) => {
    const all = some.map((line) => lineText(line, numbers, longest))
    const first = firstWithin(all, most)
    return { text: all.slice(first).join("\n"), left: first }
  }
  const shown = write(asked, maxNewMessage, maxNew)
  return {
    before: write(before, maxOldMessage, maxOld).text,
    background: write(unaddressed, maxOldMessage, maxOld).text,
    messages: shown.text,
    omitted: omitted + shown.left,
    lineOf: (number) => lines.get(number),
    idOf(named) {
      const number = Number(String(named ?? "").replace(/^#/, "") || Number.NaN)
      return lines.get(number)?.id ?? null
    },
  }
}

function firstWithin(texts: readonly string[], most: number): number {
  let size = 0
  for (let at = texts.length - 1; at >= 0; at -= 1) {
    size += texts[at]?.length ?? 0
    if (size > most) return Math.min(at + 1, texts.length - 1)
  }
  return 0
}

/** One message as text. Further lines are indented, so that they cannot look like another message. */
export function lineText(line: Line, numbers: ReadonlyMap<string, number>, longest: number): string {
  const { id, author, at, replyTo, isOurs, isVoice, reactions } = line
  const speaker = isOurs ? "you" : `${nameOf(author.name)}${author.isBot ? " (bot)" : ""}`
  const to = replyTo && numbers.get(replyTo.id)
  const marks = [
    `#${numbers.get(id) ?? "?"}`,
    isoTime(at).slice(0, 16).replace("T", " "),
    ...(isVoice ? ["[vc]"] : []),
    speaker,
    ...(to === undefined || to === null ? [] : [`to #${to}`]),
  ]
  const below = reactions.length === 0 ? "" : ` {${reactions.join(" ")}}`
  const text = cut(stripFenced(line.text), longest).replaceAll(/\r\n?|[\n\v\f\u0085\u2028\u2029]/g, "\n    ")
  return `${marks.join(" ")}: ${text}${below}`
}

function cut(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest).toWellFormed()} …`
}

/** A name without characters that have a meaning in the prompt. */
export function nameOf(name: string): string {
  return name.replaceAll(/[\s#:[\](){}<>]+/g, " ").trim() || "somebody"
}
