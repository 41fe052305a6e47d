import { UserError } from "../../base/errors.ts"
import { bytesText } from "../../base/text/text.ts"

/** At most this many characters in one line of an import, which is parsed as a whole. */
export const longestLine = 16_000_000

/** The lines of a stream of bytes, without line ends. A line that is too long throws before more of it is read. */
export async function* linesOf(
  body: AsyncIterable<Uint8Array> | null,
  longest = Number.POSITIVE_INFINITY,
): AsyncGenerator<string> {
  if (body === null) return
  const decoder = new TextDecoder()
  let held: string[] = []
  let heldLength = 0
  let line = 1
  const hold = (part: string) => {
    heldLength += part.length
    if (heldLength > longest) throw tooLong(line, longest)
    held.push(part)
  }
  const take = () => {
    const text = held.join("")
    held = []
    heldLength = 0
    line += 1
    return text.endsWith("\r") ? text.slice(0, -1) : text
  }
  for await (const chunk of body) {
    const parts = decoder.decode(chunk, { stream: true }).split("\n")
    const last = parts.pop() ?? ""
    for (const part of parts) {
      hold(part)
      yield take()
    }
    if (last !== "") hold(last)
  }
  hold(decoder.decode())
  if (heldLength > 0) yield take()
}

/** The bytes of a reader. Stopping early does not cancel the stream, so the sender is not cut off. */
export function chunksOf(reader: ReadableStreamDefaultReader<Uint8Array>): AsyncIterable<Uint8Array> {
  const next = async (): Promise<IteratorResult<Uint8Array, undefined>> => {
    const { done, value } = await reader.read()
    return done ? { done, value: undefined } : { done, value }
  }
  return { [Symbol.asyncIterator]: () => ({ next }) }
}

function tooLong(line: number, longest: number): UserError {
  const advice = "write one memory a line."
  return new UserError("too-large", `Line ${line} is longer than ${bytesText(longest)}; ${advice}`)
}
