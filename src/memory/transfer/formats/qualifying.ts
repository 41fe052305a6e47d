/**
 * Headings that change what stands under them: "push to main" means the opposite under "Never". A heading too many
 * taken for one does no harm, since it is only said along; one too few turns a rule around.
 */

/** Whether a heading denies or qualifies what stands under it, in the languages notes are mostly written in. */
export function isQualifying(heading: string): boolean {
  return (
    isDenying(heading) ||
    hasWord(heading, qualifying) ||
    phrases.test(heading) ||
    heading.trim().endsWith("?")
  )
}

/** Whether a heading forbids what stands under it. */
export function isDenying(heading: string): boolean {
  return hasWord(heading, denying) || /[❌🚫⛔✗✘👎]/u.test(heading)
}

/** Whether a heading takes back what one above it says, such as "Instead" under "Deprecated". */
export function isAffirming(heading: string): boolean {
  return affirming.has(wordsOf(heading)[0] ?? "") || /[✅✔👍]/u.test(heading)
}

/** Whether a text forbids something by itself, so that nobody need say it once more. */
export function beginsDenying(text: string): boolean {
  const [first = "", second = ""] = wordsOf(text)
  return (
    denying.has(first) || ((first === "do" || first === "must" || first === "should") && second === "not")
  )
}

/** Whether a sentence points at a list that comes after it. */
export function pointsAhead(sentence: string): boolean {
  return hasWord(sentence, pointing)
}

function hasWord(text: string, words: ReadonlySet<string>): boolean {
  return wordsOf(text).some((word) => words.has(word))
}

function wordsOf(text: string): string[] {
  const plain = text.normalize("NFC").toLowerCase().replaceAll("’", "'").replace(aboutTheFile, "")
  return plain.match(/[\p{L}\p{M}]+(?:'[\p{L}\p{M}]+)*/gu) ?? []
}

function setOf(words: string): ReadonlySet<string> {
  return new Set(words.split(/\s+/))
}

/** A title's word to whoever opens the file, which is not about what stands in it. */
const aboutTheFile = /\([^()]*do(?:n't| not) (?:edit|modify)[^()]*\)/

const phrases = /\b(?:out of scope|off[ -]limits|to[ -]?do|hors (?:scope|sujet)|fuera de alcance)\b|à faire/i

const denying = setOf(
  `no not never don't dont don'ts donts doesn't can't cannot won't wont shouldn't mustn't isn't aren't avoid avoids avoided
  avoiding forbidden forbid prohibited prohibitions disallowed banned refuse stop without anti antipattern antipatterns
  non neither nor nope
  nicht nie niemals kein keine keinen keinem keiner keines verboten verbotene verbote vermeiden vermeide untersagt
  unzulässig unerlaubt ohne
  ne pas jamais interdit interdite interdits interdites interdiction interdictions éviter évitez aucun aucune sans proscrit
  nunca jamás prohibido prohibida prohibidos prohibidas evitar evita evite sin
  mai vietato vietata vietati evitare senza
  não proibido proibida sem
  niet nooit geen verboden vermijd vermijden zonder
  aldrig inte nie nigdy nie никогда не нельзя запрещено`,
)

const qualifying = setOf(
  `deprecated deprecation deprecations obsolete outdated stale rejected declined dismissed discarded abandoned cancelled
  canceled superseded replaced removed retired former formerly previous previously old older legacy historic historical
  history archive archived unsupported bad wrong incorrect invalid mistake mistakes pitfall pitfalls smells
  todo todos idea ideas proposed proposal proposals suggestion suggestions draft drafts planned plan plans future later
  maybe someday wishlist backlog roadmap considered alternatives options undecided question questions unclear unverified
  unconfirmed assumption assumptions hypotheses exception exceptions except unless if when whenever until only before
  after during while optional experimental temporary temporarily
  veraltet veraltete veraltetes überholt abgelehnt abgelehnte abgelehntes verworfen verworfene alt alte altes früher
  ehemals ehemalige falsch falsche schlecht schlechte fehler ideen idee vorschlag vorschläge geplant geplante entwurf
  entwürfe später vielleicht offen offene ausnahme ausnahmen wenn falls nur bevor
  obsolète obsolètes déprécié dépréciée dépréciés rejeté rejetée rejetés abandonné abandonnée ancien ancienne anciens
  anciennes mauvais mauvaise mauvaises faux fausse erreurs idée idées proposé proposés proposition propositions prévu
  brouillon futur sauf si quand seulement
  obsoleto obsoleta obsoletos obsoletas rechazado rechazada antiguo antigua viejo malo mala incorrecto propuesto propuesta
  propuestas futuro excepto cuando solo
  deprecato deprecata rifiutato vecchio sbagliato idee proposto proposta proposte
  rejeitado antigo errado ideias verouderd afgewezen oud fout ideeën voorstel voorstellen`,
)

const affirming = setOf(
  `do dos do's good right correct instead preferred prefer allowed current currently yes always
  stattdessen gut richtig erlaubt bon bonne correct préféré bien permitido correcto`,
)

const pointing = setOf(
  `following follows below these folgende folgendes folgenden folgender diese suivant suivante suivants suivantes ci-dessous
  siguiente siguientes seguente seguenti seguinte seguintes volgende`,
)
