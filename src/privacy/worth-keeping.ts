import { blankMarks } from "./finding.ts"

/** Words that mean nothing once the secret they label is removed. */
const emptyWords = new Set(
  `password passwd pass pwd passphrase passwort kennwort secret secrets token tokens key keys api apikey access auth
  authorization bearer basic credential credentials login user username client private export set const let var env
  value the and for this that with use using new our your their his her its was are has have been will mein meine das
  der die ist lautet est mon email mail phone number card call https http www com org net begin end remember please
  note here wachtwoord contraseña senha mot passe schlüssel heißt`.split(/\s+/),
)

const words = /[\p{L}\p{M}]{3,}/gu

/** Whether a redacted text still says something: two meaningful words, or one in a script without spaces. */
export function isWorthKeeping(redacted: string): boolean {
  let meaningful = 0
  for (const [word] of blankMarks(redacted).matchAll(words)) {
    if (emptyWords.has(word.toLowerCase())) continue
    meaningful += 1
    if (meaningful >= 2 || /[^\p{Script=Latin}]{4}/u.test(word)) return true
  }
  return false
}
