import { bytesText, shorten } from "../../../base/text/text.ts"
import type { OutgoingFile } from "../channel.ts"

/** A text with a line for each file that cannot be sent: its link, or its name and size. */
export function withFilesAsText(text: string, files: readonly OutgoingFile[] = []): string {
  const lines = files.map(
    ({ name, bytes, link }) =>
      link ?? `[${shorten(name, 100)}, ${bytesText(bytes.byteLength)}: files cannot be sent here]`,
  )
  return [text, ...lines].filter((part) => part.trim() !== "").join("\n")
}
