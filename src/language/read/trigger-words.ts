import { stopWords } from "../../storage/search.ts"

const denial =
  /^.*?\b(?:never,? ever|never|don't ever|do not ever|don't|do not|must not|may not|stop|avoid|not allowed to|not supposed to|supposed to|forbidden to|should you|allow|no|not)\b\s*/i

/** Where the reason or another clause begins. */
const clauseEnd =
  /[;!?]|[.,](?=\s|$)|\s(?:without|unless|until|before|when|while|because|since|instead|but|except|use)\s/i
/** Where the forbidden action ends and its circumstances begin. */
const actionEnd = new RegExp(String.raw`${clauseEnd.source}|\s(?:on|in|inside|for|during|as|if)\s`, "i")

/** Verbs without a meaning of their own. */
const plainVerbs = new Set(
  "run use using call execute touch edit change modify write do type invoke put add adding make start work".split(
    " ",
  ),
)

const vague = new Set(
  "new any code file files thing things project repo codebase ever again asking first anymore row rows table tables".split(
    " ",
  ),
)

const longest = 1000
const mostWords = 3

/** Whether a statement forbids something, even in passing: "use pnpm, never npm". */
export function forbids(content: string): boolean {
  return denial.test(content.slice(0, longest))
}

/**
 * The triggers of a prohibition: the name of the forbidden thing, or the words of the action in any order ("push &
 * main"). Empty if nothing specific is forbidden.
 */
export function triggersOf(content: string): string[] {
  const start = content.slice(0, longest)
  const forbidden = start.replace(denial, "")
  if (forbidden === start) return []
  const code = [...forbidden.matchAll(/`([^`]{3,60})`/g)].map(([, text = ""]) => text)
  if (code.length > 0) return code.slice(0, 3)
  const named = wordsUntil(forbidden, clauseEnd).filter(
    (word) => /[._/]\w|\w\/$/.test(word) && !word.startsWith("-") && word.length > 3,
  )
  if (named.length > 0) return named.slice(0, 2).flatMap(namesOf)
  return actionsIn(wordsUntil(forbidden, actionEnd))
}

function wordsUntil(text: string, form: RegExp): string[] {
  const end = text.slice(1).search(form)
  return (end === -1 ? text : text.slice(0, end + 1)).split(/\s+/).map(bare)
}

/** A word without quotes, brackets and punctuation around it. */
function bare(word: string): string {
  return word.replaceAll(/^[("']+|[)"',.;:!]+$/g, "").toLowerCase()
}

/** A library is imported without its ending. */
function namesOf(word: string): string[] {
  const library = /^([\w-]+)\.js$/.exec(word)?.[1]
  return library === undefined ? [word] : [word, `"${library}"`, `'${library}'`]
}

/** The words of the action, and once more with each alternative object. */
function actionsIn(words: readonly string[]): string[] {
  const telling: string[] = []
  const others: string[] = []
  for (const [index, word] of words.entries()) {
    if (!isTelling(word)) continue
    const isOther = index > 1 && /^(?:or|and|nor)$/.test(words[index - 1] ?? "")
    ;(isOther ? others : telling).push(word)
  }
  const action = telling.slice(0, mostWords)
  if (action.length === 0 || (action.length === 1 && (action[0] ?? "").length < 3)) return []
  return [action, ...others.map((other) => [...action.slice(0, -1), other])].map((list) => list.join(" & "))
}

function isTelling(word: string): boolean {
  if (word === "" || stopWords.has(word) || vague.has(word) || plainVerbs.has(word)) return false
  return !/^\w{4,}ly$/.test(word)
}
