import { stripVTControlCharacters } from "node:util"
import { ownWords } from "../memory/extract/own-words/own-words.ts"
import { stopWords, tokenize } from "../storage/search.ts"

/** In characters. Of a longer request only the beginning and the end are used. */
const longestRequest = 700
/** Characters of earlier text that may be added to a short request. */
const longestContext = 240
/** A request with at least this many content words needs no context. */
const enoughWords = 5

/**
 * The queries for a prompt: the request itself, then, if it is short, the request with earlier text. The second is used
 * only if the first finds nothing sure. Empty if there is no content.
 */
export function queriesFor(prompt: string, before: readonly string[]): string[] {
  const request = essence(prompt, longestRequest)
  const words = countContentWords(request)
  if (words >= enoughWords) return [request]
  const context = before.toReversed().map((text) => essence(text, longestContext))
  const earlier = context.find((text) => countContentWords(text) > 0)
  if (earlier === undefined) return words === 0 ? [] : [request]
  const inContext = `${request}\n${earlier}`
  return words === 0 ? [inContext] : [request, inContext]
}

/** The query while an agent works: its latest output, then the prompt. */
export function queryForWork(fresh: string, prompt: string | undefined): string {
  const request = prompt === undefined ? "" : essence(prompt, longestContext)
  return [tail(prose(fresh), longestRequest - request.length), request]
    .filter((part) => part !== "")
    .join("\n")
}

/** The query when a tool fails: the error, without what differs between runs. */
export function queryForError(text: string): string {
  const lines = ends(text)
    .split("\n")
    .map((line) => withoutRunDetails(line).trim())
    .filter((line) => line !== "" && !/^(?:at |File "|\^|~|\d+ \||-{3,}|={3,}|\.\.\.)/.test(line))
  const named = lines.filter((line) => errorWords.test(line))
  // Programs print the cause either first or last.
  const chosen = named.length > 0 ? [...named.slice(0, 2), ...named.slice(2).slice(-1)] : lines.slice(-3)
  return head([...new Set(chosen)].join("\n"), 400)
}

/** The beginning and the end of a long output. */
function ends(text: string): string {
  const half = longestRead / 2
  return text.length <= longestRead ? text : `${text.slice(0, half)}\n${text.slice(-half)}`
}

const errorWords =
  /error|exception|fail|fatal|panic|cannot|can't|could not|unable|denied|refused|not found|no such|undefined|invalid|missing|timed? ?out|conflict|abort/i

/** Without timestamps, addresses, line numbers and folders. */
function withoutRunDetails(line: string): string {
  return stripVTControlCharacters(line)
    .replaceAll(/\b\d{4}-\d\d-\d\d[T ][\d:.,]+Z?\b/g, "")
    .replaceAll(/\b0x[0-9a-f]+\b/gi, "")
    .replaceAll(/(?:\/[\w.@+-]+){2,}\/(?=[\w.@+-])/g, "")
    .replaceAll(/:\d+(?::\d+)?\b/g, "")
}

/** A short form of a text: prose rather than pasted lines, the beginning and the end rather than the middle. */
function essence(text: string, longest: number): string {
  const own = ownWords(text).replaceAll(/\n{2,}/g, "\n") || prose(text)
  const chosen = own === "" ? text.replaceAll(/\s+/g, " ").trim() : own
  if (chosen.length <= longest) return chosen
  const half = Math.floor(longest / 2)
  return `${head(chosen, half)}\n${tail(chosen, half)}`
}

/** Characters of a text that are read. */
const longestRead = 50_000

/** The lines of prose: without code blocks, quotes, listings and logs. */
function prose(text: string): string {
  const lines = text
    .slice(0, longestRead)
    .replaceAll(/```[\s\S]*?(?:```|$)/g, "\n")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !isPasted(line))
  return lines.join("\n")
}

/** Whether a line is code or program output: it begins with a time or a mark, or is long with many symbols. */
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

/** Words that tell an agent to continue, without a topic. */
const continueWords = new Set(
  "go goes going run runs use do done try make fix continue next yes yeah yep yup no nope ok okay sure please thanks again more stop wait start redo retry proceed it lets good great nice fine".split(
    " ",
  ),
)

/** How many different content words a text has. */
export function countContentWords(text: string): number {
  const content = tokenize(text).filter(
    (word) => !stopWords.has(word) && !continueWords.has(word) && !/^\d{1,2}$/.test(word),
  )
  return new Set(content).size
}
