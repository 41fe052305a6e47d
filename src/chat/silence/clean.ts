import { withoutUnseen } from "../../base/text/unseen.ts"

/** The longest thing we say at once; channels split it further where they must. */
const longestReply = 4000

/** Stands between the sign and the name of a mention, so that nobody is called. */
const wordJoiner = "\u2060"
const massMention = /([@＠])(everyone|here|channel|all|room)\b/gi
/** Mentions in the form that platforms resolve: people, roles and channels of Discord, groups of Slack. */
const rawMention = /<(@[&!]?|!|#|!subteam\^)(\w[\w^|.-]*)>/g

/** A text as it may be sent: it calls nobody together, hides nothing, and ends somewhere sensible if it is too long. */
export function cleanForSending(text: string, longest = longestReply): string {
  const clean = withoutUnseen(text)
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
