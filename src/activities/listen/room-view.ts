import { isoTime } from "../../base/clock.ts"
import type { Line } from "../../chat/conversation/state.ts"
import type { ThinkInput } from "../../chat/supervisor/think.ts"
import { stripFenced } from "../../llm/fence.ts"

/** A room as a model is shown it: each message has a short number, and only what has one can be answered. */
export interface RoomView {
  /** What was said before, our own words too. */
  before: string
  /** What was overheard since, for reference. */
  background: string
  /** What is to be answered or looked at. */
  messages: string
  omitted: number
  lineOf(number: number): Line | undefined
  /** The message that a model names by its number; null if it names none that it was shown. */
  idOf(named: string | number | null): string | null
}

/** So many characters of a message are shown, and so many of all together; the oldest go first. */
const longestNew = 1500
const longestOld = 600
const mostNew = 40_000
const mostOld = 24_000

/** Numbers the messages, and writes them down. */
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
  const around = background.flatMap(add)
  const asked = messages.flatMap(add)
  const write = (some: readonly Line[], longest: number, most: number) => {
    const all = some.map((line) => lineText(line, numbers, longest))
    const first = firstWithin(all, most)
    return { text: all.slice(first).join("\n"), left: first }
  }
  const shown = write(asked, longestNew, mostNew)
  return {
    before: write(before, longestOld, mostOld).text,
    background: write(around, longestOld, mostOld).text,
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

/** One message on lines of its own: what follows the first is set in, so that nothing in it looks like another message. */
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

/** The beginning of a text, with its lines. */
function cut(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest).toWellFormed()} …`
}

/** A name that cannot be taken for anything but a name. */
export function nameOf(name: string): string {
  return name.replaceAll(/[\s#:[\](){}<>]+/g, " ").trim() || "somebody"
}
