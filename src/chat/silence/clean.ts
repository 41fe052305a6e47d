import { stripInvisible } from "../../base/text/invisible.ts"

/** The longest reply, in characters; channels split it further. */
const longestReply = 4000

/** Put between the sign and the name of a mention, so that nobody is notified. */
const wordJoiner = "\u2060"
const massMention = /([@＠])(everyone|here|channel|all|room)\b/gi
/** Mentions in the form that platforms resolve: people, roles and channels of Discord, groups of Slack. */
const rawMention = /<(@[&!]?|!|#|!subteam\^)(\w[\w^|.-]*)>/g

/** A text that may be sent: without mass mentions and invisible characters, and cut at a sentence if it is too long. */
export function cleanForSending(text: string, longest = longestReply): string {
  const clean = stripInvisible(text)
    .replaceAll(massMention, `$1${wordJoiner}$2`)
    .replaceAll(rawMention, `<$1${wordJoiner}$2>`)
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim()
  return shortened(clean, longest)
}

function shortened(text: string, longest: number): string {
  const characters = Array.from(text)
  if (characters.length <= longest) return text
  const head = characters.slice(0, longest - 2).join("")
  const ends = [
    head.lastIndexOf("\n\n"),
    head.search(/[.!?。！？](?=\s[^.!?。！？]*$)/) + 1,
    head.lastIndexOf(" "),
  ]
  const end = ends.find((at) => at > head.length / 2) ?? head.length
  return `${head.slice(0, end).trimEnd()} …`
}
