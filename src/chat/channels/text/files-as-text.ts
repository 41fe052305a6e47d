import { bytesText, shorten } from "../../../base/text/text.ts"
import type { OutgoingFile } from "../channel.ts"

/** A text with a line for each file that cannot be sent along: its link, or what it would have been. */
export function withFilesAsText(text: string, files: readonly OutgoingFile[] = []): string {
  const lines = files.map(
    ({ name, bytes, link }) =>
      link ?? `[${shorten(name, 100)}, ${bytesText(bytes.byteLength)}: files cannot be sent here]`,
  )
  return [text, ...lines].filter((part) => part.trim() !== "").join("\n")
}
