import { stripVTControlCharacters } from "node:util"
import { ownWords } from "../memory/extract/own-words/own-words.ts"
import { stopWords, wordsIn } from "../storage/search.ts"

/** A request longer than this is cut: its beginning and its end say what is wanted. */
const longestRequest = 700
/** How much of what was said before may be added to a request that says little itself. */
const longestContext = 240
/** A request with at least so many telling words stands for itself. */
const telling = 5

/**
 * What memory is asked after at a prompt: the request itself, then, where it says little, the request with what was said
 * before it. The second is asked only where the first finds nothing sure. Nothing where neither says anything.
 */
export function focusOn(prompt: string, before: readonly string[]): string[] {
  const request = essence(prompt, longestRequest)
  const words = tellingWords(request)
  if (words >= telling) return [request]
  const context = before.toReversed().map((text) => essence(text, longestContext))
  const said = context.find((text) => tellingWords(text) > 0)
  if (said === undefined) return words === 0 ? [] : [request]
  const inContext = `${request}\n${said}`
  return words === 0 ? [inContext] : [request, inContext]
}

/** What memory is asked after while an agent works: what is new, then what it was asked for. */
export function focusOnWork(fresh: string, prompt: string | undefined): string {
  const request = prompt === undefined ? "" : essence(prompt, longestContext)
  return [tail(prose(fresh), longestRequest - request.length), request]
    .filter((part) => part !== "")
    .join("\n")
}

/** What memory is asked after when a tool fails: the error itself, without what differs from one run to the next. */
export function focusOnError(text: string): string {
  const lines = ends(text)
    .split("\n")
    .map((line) => withoutChance(line).trim())
    .filter((line) => line !== "" && !/^(?:at |File "|\^|~|\d+ \||-{3,}|={3,}|\.\.\.)/.test(line))
  const named = lines.filter((line) => errorWords.test(line))
  // Programs say the cause either first or last.
  const told = named.length > 0 ? [...named.slice(0, 2), ...named.slice(2).slice(-1)] : lines.slice(-3)
  return head([...new Set(told)].join("\n"), 400)
}

/** The beginning and the end of what a program said. */
function ends(text: string): string {
  const half = longestLooked / 2
  return text.length <= longestLooked ? text : `${text.slice(0, half)}\n${text.slice(-half)}`
}

const errorWords =
  /error|exception|fail|fatal|panic|cannot|can't|could not|unable|denied|refused|not found|no such|undefined|invalid|missing|timed? ?out|conflict|abort/i

/** Without times, addresses, numbers of lines and the folders before a file's name. */
function withoutChance(line: string): string {
  return stripVTControlCharacters(line)
    .replaceAll(/\b\d{4}-\d\d-\d\d[T ][\d:.,]+Z?\b/g, "")
    .replaceAll(/\b0x[0-9a-f]+\b/gi, "")
    .replaceAll(/(?:\/[\w.@+-]+){2,}\/(?=[\w.@+-])/g, "")
    .replaceAll(/:\d+(?::\d+)?\b/g, "")
}

/** What a long text is about: prose rather than what was pasted; its beginning and its end rather than its middle. */
function essence(text: string, longest: number): string {
  const own = ownWords(text).replaceAll(/\n{2,}/g, "\n") || prose(text)
  const chosen = own === "" ? text.replaceAll(/\s+/g, " ").trim() : own
  if (chosen.length <= longest) return chosen
  const half = Math.floor(longest / 2)
  return `${head(chosen, half)}\n${tail(chosen, half)}`
}

/** More of a prompt is not looked at. */
const longestLooked = 50_000

/** The lines that somebody wrote: without code blocks, quotes, listings and logs, as long as anything is left. */
function prose(text: string): string {
  const lines = text
    .slice(0, longestLooked)
    .replaceAll(/```[\s\S]*?(?:```|$)/g, "\n")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !isPasted(line))
  return lines.join("\n")
}

/** Lines of programs and their output: few words, many signs, very long, or beginning with a time. */
function isPasted(line: string): boolean {
  if (/^(?:>|\d{4}-\d\d-\d\d|\[\d|at \S+ ?\(|[+-]{3} |@@ |\$ |diff --git)/.test(line)) return true
  const letters = line.match(/[\p{L}\p{N} ,.'?!-]/gu)?.length ?? 0
  return line.length > 40 && letters / line.length < 0.8
}

function head(text: string, length: number): string {
  if (text.length <= length) return text
  const cut = text.slice(0, length)
  return cut.slice(0, Math.max(cut.lastIndexOf(" "), length / 2)).trim()
}

function tail(text: string, length: number): string {
  if (text.length <= length) return text
  const cut = text.slice(text.length - length)
  const space = cut.indexOf(" ")
  return cut.slice(space !== -1 && space < length / 2 ? space : 0).trim()
}

/** What people say to an agent to have it go on: it tells nothing of what with. */
const goingOn = new Set(
  "go goes going run runs use do done try make fix continue next yes yeah yep yup no nope ok okay sure please thanks again more stop wait start redo retry proceed it lets good great nice fine".split(
    " ",
  ),
)

/** How many different words of a text say something. */
export function tellingWords(text: string): number {
  const telling = wordsIn(text).filter(
    (word) => !stopWords.has(word) && !goingOn.has(word) && !/^\d{1,2}$/.test(word),
  )
  return new Set(telling).size
}
