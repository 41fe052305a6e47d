import { StringDecoder } from "node:string_decoder"

const mostAtBeginning = 24 * 1024
const mostAtEnd = 40 * 1024

/** Collects the beginning and the end of a command's output, which arrives in pieces and may be of any length. */
export function openOutput() {
  const decoder = new StringDecoder("utf8")
  let beginning = ""
  let end = ""
  let left = 0
  return {
    add(bytes: Buffer): void {
      const text = decoder.write(bytes)
      const room = mostAtBeginning - beginning.length
      beginning += text.slice(0, room)
      end += text.slice(Math.max(0, room))
      // Cutting at twice the length costs less than cutting for every piece.
      if (end.length > 2 * mostAtEnd) {
        left += end.length - mostAtEnd
        end = end.slice(-mostAtEnd)
      }
    },
    text(): string {
      const cut = left + Math.max(0, end.length - mostAtEnd)
      if (cut === 0) return beginning + end
      return `${beginning}\n[${cut} characters left out]\n${end.slice(-mostAtEnd)}`
    },
  }
}
