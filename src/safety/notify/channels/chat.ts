import type { Notice, Notifier, Sent } from "../notice.ts"
import { withoutMarkup } from "../plain-text.ts"

/** Writes to a person in private, by the platform and its own id for them: `discord:80351110224678912`. */
export type SendInChat = (
  person: string,
  message: { key: string; text: string },
  signal: AbortSignal,
) => Promise<Sent>

/** Longer notices would come as many messages, and platforms slow us down after a few. */
const longest = 6000

/** Sends notices as private messages in chat, whose reader answers there with a code. */
export function chatNotifier(send: SendInChat, person: string): Notifier {
  return {
    id: `chat:${person}`,
    person,
    isPrivate: true,
    // Whoever has a link can decide, and chat programs open links for their previews; a code counts from the person only.
    takesLinks: false,
    takesCodes: true,
    // Platforms know a message again for some minutes only.
    knowsAgain: false,
    send: (notice, signal) => send(person, { key: notice.id, text: textOf(notice) }, signal),
  }
}

function textOf({ text, brief }: Notice): string {
  const told =
    text.length <= longest
      ? text
      : `${brief}\n\nThis is too long to tell in full here: look into \`reverie inbox\` before you decide.`
  return told.split("\n").map(asWritten).join("\n")
}

/** The agent's words are shown as they are: those it marked as emphasis or spoiler, too. */
function asWritten(line: string): string {
  const words = /^(?<mark>\| |\d+\. )(?<words>.*)$/.exec(line)?.groups
  return words ? `${words.mark}${withoutMarkup(words.words ?? "")}` : line
}
