import { StringDecoder } from "node:string_decoder"

const mostAtBeginning = 24 * 1024
const mostAtEnd = 40 * 1024

/** Keeps the beginning and the end of a text that comes in pieces, however long it is. */
export interface Output {
  add(bytes: Buffer): string
  text(): string
}

/** Opens the keeper of one command's output. */
export function openOutput(): Output {
  const decoder = new StringDecoder("utf8")
  let beginning = ""
  let end = ""
  let left = 0
  return {
    add(bytes) {
      const text = decoder.write(bytes)
      const room = mostAtBeginning - beginning.length
      beginning += text.slice(0, room)
      end += text.slice(Math.max(0, room))
      // Cutting now and then costs less than with every piece.
      if (end.length > 2 * mostAtEnd) {
        left += end.length - mostAtEnd
        end = end.slice(-mostAtEnd)
      }
      return text
    },
    text() {
      const cut = left + Math.max(0, end.length - mostAtEnd)
      if (cut === 0) return beginning + end
      return `${beginning}\n[${cut} characters left out]\n${end.slice(-mostAtEnd)}`
    },
  }
}
