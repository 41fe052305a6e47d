import { stopWords, wordsIn } from "../../../../storage/search.ts"
import { isName } from "./words.ts"

const denial =
  /^.*?\b(?:never,? ever|never|don't ever|do not ever|don't|do not|must not|may not|stop|avoid|not allowed to|not supposed to|supposed to|forbidden to|should you|allow|no)\b\s*/i

const vague = new Set(
  "new any use using make code file files thing things project repo codebase ever again without asking first anymore add adding".split(
    " ",
  ),
)

/** What is forbidden is named early. */
const longest = 1000

/** What brings a prohibition up: the forbidden thing by its own name, or the deed and its object. */
export function triggersOf(content: string): string[] {
  const forbidden = content
    .slice(0, longest)
    .replace(denial, "")
    .replace(/[.!]+$/, "")
  const code = [...forbidden.matchAll(/`([^`]{3,60})`/g)].map(([, text = ""]) => text)
  if (code.length > 0) return code.slice(0, 3)
  const words = forbidden.split(/\s+/).map((word) => word.replaceAll(/^[("']+|[)"',.;:]+$/g, ""))
  const named = words.filter((word, index) => index > 0 && /[._/-]\w|\w\/$/.test(word) && word.length > 3)
  if (named.length > 0) return named.slice(0, 2).map((word) => word.toLowerCase())
  const verb = words[0]?.toLowerCase() ?? ""
  const objects = wordsIn(words.slice(1, 8).join(" ")).filter(
    (word) => !stopWords.has(word) && !vague.has(word),
  )
  const name = words
    .slice(1)
    .find((word) => isName(word))
    ?.toLowerCase()
  const object = name ?? objects.at(-1)
  if (object === undefined || object.length < 3) return []
  return verb === "use" || verb === "using" ? [object] : [`${verb}*${object}`]
}
