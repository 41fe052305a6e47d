const handling =
  "translate|review|summari[sz]e|improve|rephrase|reword|proofread|rewrite|shorten|explain|parse|format|read|check|look at|analy[sz]e|fix|implement|fill"
const things =
  "text|sentence|paragraph|error|log|output|message|mail|e-?mail|thread|issue|ticket|story|comment|quote|spec|article|readme|docs?|changelog|prompt|report|stack ?trace|description|requirements?|criteria|answer|response|slack|chat|title|string|label|wiki|blog|post|page|handbook|manual|runbook|playbook|excerpt|snippet|guide(?:lines?)?|policy|template|notes|minutes|transcript|channel|review|reviews|feedback|instructions|manifesto|standard|rfc|adr"

const pastes = [
  // "translate this sentence to German:", "please summarise:"
  new RegExp(String.raw`\b(?:${handling})\b[^.!?:]{0,60}:(?=\s|$)`, "i"),
  // "here's the error:", "from the slack thread:", "the log says", "change the error text to:"
  new RegExp(
    String.raw`\b(?:${things})s?\b[^.!?:]{0,40}(?::(?=\s|$)|\b(?:says|said|reads|prints|states|wants|asks)\b)`,
    "i",
  ),
  /\b(?:it|this|that) (?:says|prints|reads)\b/i,
  // "put this into the docs:", "write a rule that says:"
  /\b(?:that says|put this|add this|insert this|paste this|paste)\b[^.!?]{0,40}:/i,
]

const request = new RegExp(String.raw`\b(?:${handling})\b[^.!?:]{0,60}:\s*$`, "i")

/** Whether a line says what to do with the text below it: "please summarise:". */
export function asksToHandle(line: string): boolean {
  return request.test(line.slice(0, looked))
}

/** How far into a line it is looked for. */
const looked = 1000

/** Where in a line somebody else's text begins, if it does. */
export function beginningOfPaste(line: string): number | undefined {
  const searched = line.slice(0, looked)
  for (const paste of pastes) {
    const match = paste.exec(searched)
    if (match) return match.index
  }
  return undefined
}

const file =
  /(?:^|[\s`"'(@/])(?:[\w@-][\w./@-]*\.(?:md|mdx|txt|rst|adoc|ya?ml|json|toml|ini|cfg|log|pdf|docx?|html?|go|rs|ts|tsx|js|jsx|py|rb|java|kt|c|h|cpp|cs|sh|sql|css|proto|tf)|(?:README|CONTRIBUTING|CHANGELOG|HACKING|AGENTS|CLAUDE|GEMINI|LICENSE|SECURITY|STYLE|NOTES)\b)/

/** Whether a line says whose text comes next: "admin-ui/STYLE.md:", "from the wiki:", "slack, #partner-api:". */
export function introducesSource(line: string): boolean {
  const text = line.trim().slice(0, looked)
  if (
    /\b(?:i(?:'ll| just)? (?:paste|copy)|(?:i(?:'ve| have)? )?(?:pasted|copied)|pasting|copy-pasted?)\b/i.test(
      text,
    )
  )
    return true
  if (!/[:：]$/.test(text)) return false
  return (
    file.test(text) ||
    beginningOfPaste(text) !== undefined ||
    /\b(?:from|by|via|in) (?:the |our |some |a |an )?\S|https?:\/\/|(?:^|\s)#[a-z][\w-]+|@[\w-]+|\b[A-Z]{2,}-\d+\b|\b(?:wrote|said|says|commented|posted|answered|replied)\b/i.test(
      text,
    )
  )
}

/** A ticket's number at the beginning of a line that says no more than a title does. */
export function isTicketHead(line: string): boolean {
  return /^\s*(?:\[?[A-Z]{2,}-\d+\]?|#\d{2,})(?:\s*[:—–-]?\s*\S.{0,100})?\s*$/.test(line.slice(0, looked))
}
