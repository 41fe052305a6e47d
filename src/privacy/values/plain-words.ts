import { isByChance } from "./randomness.ts"

/**
 * What is said of a password instead of being one: "is required", "is at least …", "was changed". Words of grammar and
 * of judgement; participles, adverbs and most adjectives show by their endings.
 */
const said = new Set(
  `about absent across after again against ago all also although always am among and another any anyone anything
  apart are around as ask at authentication away back bad because been before being below best better between
  beyond big both broken but by bypass can case change check clear clearly cleartext common complex compromise
  compromised correct could default different difficult does done down due each either else empty enough even every
  everyone everything exactly exposed fine first for form forgot from gone good great had hard has have having he
  her here hers herself him his hold how however i if important in inside insecure instead into invalid it its
  itself just kept known last later least left less like local long lost lower main maximum maybe me meant min mine
  minimum missing more most much must my near need needs neither never new next no nobody none nor not nothing now
  null obvious of off ok okay old on once one only onto open or other our ours out outside over own part per
  perhaps plain plaintext please present private public ready real really reset right safe said same saved secret
  secure see seen sent set shared she short should shown simple since so some someone something somewhere soon
  still stored strong such sure take taken than that the their theirs them then there these they thing this those
  though through to today together told tomorrow tonight too true twice two under unknown unless unset until up
  upper us used useless user valid very via was we weak well were what when where whether which while who whole
  whose why will with within without worse worst would written wrong yes yesterday yet you your yours false
  optional required string text number bcrypt argon scrypt hash hashes salted varchar boolean validation length
  strength policy hint field prompt input reminder error failure mismatch login logout signup admin root support
  team manager vault keychain environment english german french lowercase uppercase alphanumeric ascii unicode
  base64 numeric there's it's that's don't can't won't isn't doesn't didn't rather quite almost already currently
  stuff everybody elsewhere nowhere anywhere somehow abrupt afraid alive alone alright awful aware awkward bleak
  brief bright brittle broad bulky busy casual cheap clean clever close cold compact concise cool correctly crazy
  creepy crisp cruel cryptic curious dangerous deaf dense difficile direct dirty double dull dumb eager early easy
  equal evil exact extra faint fair familiar fancy fast final flat foolish forever formal forward fragile free
  fresh friendly full fuzzy garbage general global green guilty handy happy harsh healthy heavy hidden high history
  holy horrible huge humble idle immense intense irrelevant junk large late lazy legacy legit light likely little
  live loose lousy lucky mandatory messy minor moot naive narrow nasty neat nice noisy nonsense numb odd outdated
  paramount perfect permanent pointless popular positive pretty prone proper proud quick quiet random rare raw
  regular reliable rich rigid robust rotten rough rubbish sacred sane scary separate severe sharp shiny silly
  similar sloppy slow small smart smooth sneaky sober soft solid sorry special specific stale static steady steep
  sticky stiff strange strict stupid subtle sudden super superior supreme sweet tedious temporary terrible terse
  thick thin tidy tight tiny toast topic total tough toxic trash tricky twofold ugly unclear unfair unique
  universal unsafe unusual upset urgent vague vivid vital vulnerable warm welcome wide wild wise worth faster
  slower larger smaller shorter longer stronger weaker older newer easier harder higher simpler safer bigger
  cheaper stricter greater closer master black white linux windows guide question answer example trouble issue
  ticket progress complete weird certain sturdy gentle sincere linear opaque greedy uneasy outdoors consistency
  found built bound made read held spelt fought caught bought brought thrown stolen reused typed pasted guessable
  rotated random-looking younger cooler milder moist tender crispy catchy stable sound subject mixed human intact`.split(
    /\s+/,
  ),
)

const saidEnding =
  /(?:ed|ing|ly|able|ible|ful|less|ive|ous|ic|al|ate|ary|ent|ant|ten|ken|den|wn|ise|ize|tion|sion|ment|ness|ity|ance|ence|est|n't|['’]\p{L}+)$/u

/** What is counted rather than named: "at least 12 characters", "3 attempts". */
const measures =
  /^(?:char(?:acter)?s?|letters?|digits?|numbers?|symbols?|signs?|bits?|bytes?|words?|attempts?|tries|times?|seconds?|minutes?|hours?|months?|years?|chars|long|percent|users?|accounts?|rounds?|iterations?|points?)$/i

const clause =
  /(?<words>[\p{L}\d]{1,20}(?:[ \t][\p{L}\d]{1,20}[!?#*]?){0,5}?)(?=[.!,;)"'`]{0,3}(?:[ \t]{0,4}(?:[\r\n]|$)|[ \t]+[-–—(])|[.!,;][ \t]|[ \t](?:for|on|but|so)[ \t])/uy
const listed = /,|[ \t](?:for|on|but|so)[ \t]/y

/**
 * Where plain words that somebody chose for a password end, if they begin here and fill the clause. Behind a colon they
 * fill the sentence: what goes on there is a list or a heading.
 */
export function chosenEnd(text: string, start: number, isBehindColon: boolean): number | undefined {
  clause.lastIndex = start
  const said = clause.exec(text)?.groups?.words
  if (said === undefined) return undefined
  const words = said.split(/[ \t]/)
  const isChosen = words.length === 1 ? isChosenWord(said) : areChosenWords(words)
  if (!isChosen) return undefined
  const end = start + said.length
  listed.lastIndex = end
  return isBehindColon && listed.test(text) ? undefined : end
}

/** Whether a plain word may be a password somebody chose, and not what is said about one. */
function isChosenWord(word: string): boolean {
  const lower = word.toLowerCase()
  return /^\p{L}{5,20}$/u.test(word) && !isSaid(lower)
}

function isSaid(lower: string): boolean {
  const opposite = lower.replace(/^(?:un|in|im|ir|dis)/, "")
  return said.has(lower) || said.has(opposite) || saidEnding.test(lower) || measures.test(lower)
}

/** Four words or more of small letters, hardly one of which says anything; or three that are no words at all. */
function isPhrase(words: readonly string[]): boolean {
  if (words.length < 3 || !words.every((word) => /^[a-z]{3,10}$/.test(word))) return false
  if (isByChance(words.join(" "))) return true
  return words.length >= 4 && words.filter(isSaid).length <= 1
}

/** Whether a few words are a password: none of them says anything about one, and a number ends them. */
function areChosenWords(words: readonly string[]): boolean {
  if (isPhrase(words)) return true
  const [number = "", ...plain] = words.toReversed()
  if (plain.length < 1 || plain.length > 5 || !/^\d{1,6}[!?#*]?$/.test(number)) return false
  return plain.every((word) => /^\p{L}{3,14}$/u.test(word) && !isSaid(word.toLowerCase()))
}
