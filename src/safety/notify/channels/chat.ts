import type { Notice, Notifier, SendResult } from "../notice.ts"
import { withoutMarkup } from "../plain-text.ts"

/** Sends a private message to a platform's user, such as `discord:80351110224678912`. */
export type SendInChat = (
  person: string,
  message: { key: string; text: string },
  signal: AbortSignal,
) => Promise<SendResult>

/** Longer notices would become many messages, and platforms limit their rate. */
const longest = 6000

/** Sends notices as private chat messages. The reader answers with a code. */
export function chatNotifier(send: SendInChat, person: string): Notifier {
  return {
    id: `chat:${person}`,
    person,
    isPrivate: true,
    // Anyone with a link can decide, and chat programs open links for previews. A code counts only from its person.
    supportsLinks: false,
    supportsCodes: true,
    // Platforms deduplicate for a few minutes only.
    deduplicates: false,
    send: (notice, signal) => send(person, { key: notice.id, text: textOf(notice) }, signal),
  }
}

function textOf({ text, brief }: Notice): string {
  const shown =
    text.length <= longest
      ? text
      : `${brief}\n\nThis is too long to show in full: read \`reverie inbox\` before you decide.`
  return shown.split("\n").map(asWritten).join("\n")
}

/** Shows the agent's text literally, without its markup. */
function asWritten(line: string): string {
  const words = /^(?<mark>\| |\d+\. )(?<words>.*)$/.exec(line)?.groups
  return words ? `${words.mark}${withoutMarkup(words.words ?? "")}` : line
}
