import { stripFenced } from "./recall/fence.ts"

/** Nobody writes more than this by hand; what comes behind it was pasted. */
const longestMessage = 20_000

/** What a person wrote in their own words: without code, logs, quotations and what programs put there. */
export function ownWords(text: string): string {
  const prose = stripFenced(text.slice(0, longestMessage))
    .replaceAll(/```[\s\S]*?(?:```|$)/g, "\n")
    .replaceAll(/~~~[\s\S]*?(?:~~~|$)/g, "\n")
    .replaceAll(/<([a-z][\w-]*)\b[^>]*>[\s\S]*?<\/\1>/gi, "\n")
    .replaceAll(/\[\[[\s\S]*?\]\]/g, " ")
  if (isMadeByProgram(prose)) return ""
  const isDiff = /^(?:diff --git|@@ |--- a\/)/m.test(prose)
  const lines: string[] = []
  for (const line of prose.split("\n")) {
    if (isForeignLine(line, isDiff)) continue
    const begins = beginningOfPaste(line)
    if (begins !== undefined) {
      // What follows is somebody else's text, up to the end.
      lines.push(line.slice(0, begins))
      break
    }
    lines.push(line)
  }
  return lines.join("\n").trim()
}

/** Messages that tools write in the user's name. */
function isMadeByProgram(text: string): boolean {
  return /^\s*(?:caveat: the messages below|this session is being continued from|\[request interrupted|<\w)/i.test(
    text,
  )
}

const logLine =
  /^\s*(?:\[?\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d|at [\w$.<>[\] ]+ ?\(|at \S+:\d+:\d+|(?:[A-Z]\w*)?(?:Error|Exception|Warning)\b.*:|Traceback|(?:ERROR|WARN|WARNING|INFO|DEBUG|FATAL|FAIL|PASS)\b|npm (?:ERR|WARN)|error(?:\[\w+\]| TS\d+)|File ".*", line \d+|E\s{2,})/

/** A line that is a log, a quotation, a command with its prompt, data or a change of code. */
function isForeignLine(line: string, isDiff: boolean): boolean {
  if (/^\s*(?:>|\$ |# |## |### |\/\/|\/\*|\* @|[{}[\]]|<\/?\w|\|)/.test(line)) return true
  if (isDiff && /^(?:[+-]|diff |index |@@)/.test(line)) return true
  return logLine.test(line)
}

const handling =
  "translate|review|summari[sz]e|improve|rephrase|reword|proofread|rewrite|shorten|explain|parse|format|read|check|look at|analy[sz]e|fix"
const things =
  "text|sentence|paragraph|error|log|output|message|mail|e-mail|thread|issue|ticket|comment|quote|spec|article|readme|docs?|changelog|prompt|report|stack ?trace|description|requirements?|criteria|answer|response|slack|chat|title|string|label"

const pastes = [
  // "translate this sentence to German:", "please summarise:"
  new RegExp(String.raw`\b(?:${handling})\b[^.!?:]{0,60}:(?=\s|$)`, "i"),
  // "here's the error:", "from the slack thread:", "the log says", "change the error text to:"
  new RegExp(
    String.raw`\b(?:${things})s?\b[^.!?:]{0,40}(?::(?=\s|$)|\b(?:says|said|reads|prints|states)\b)`,
    "i",
  ),
  /\b(?:it|this|that) (?:says|prints|reads)\b/i,
  // "put this into the docs:", "write a rule that says:"
  /\b(?:that says|put this|add this|insert this|paste this|paste)\b[^.!?]{0,40}:/i,
]

/** Where in a line somebody else's text begins, if it does. */
function beginningOfPaste(line: string): number | undefined {
  for (const paste of pastes) {
    const match = paste.exec(line)
    if (match) return match.index
  }
  return undefined
}
