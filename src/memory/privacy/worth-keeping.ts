import { hole, withHoles } from "./finding.ts"

/** Words that say nothing once the secret they announced is gone. */
const emptyWords = new Set(
  `password passwd pass pwd passphrase passwort kennwort secret secrets token tokens key keys api apikey access auth
  authorization bearer basic credential credentials login user username client private export set const let var env
  value the and for this that with use using new our your their his her its was are has have been will mein meine das
  der die ist lautet est mon email mail phone number card call https http www com org net begin end remember please
  note here wachtwoord contraseña senha mot passe schlüssel heißt`.split(/\s+/),
)

/** Whether anything is left in a redacted text that somebody would want to read again. */
export function isWorthKeeping(redacted: string): boolean {
  const left = withHoles(redacted)
    .replaceAll(hole, " ")
    .replaceAll("_", " ")
    .match(/[\p{L}\p{M}]{3,}/gu)
  const telling = (left ?? []).filter((word) => !emptyWords.has(word.toLowerCase()))
  // Languages that put no spaces between words say much in one.
  return telling.length >= 2 || telling.some((word) => /[^\p{Script=Latin}]{4}/u.test(word))
}
