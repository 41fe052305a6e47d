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
  return request.test(line.slice(0, longestChecked))
}

/** At most this many characters of a line are checked. */
const longestChecked = 1000

/** The position in a line where a pasted text begins, if one does. */
export function beginningOfPaste(line: string): number | undefined {
  const searched = line.slice(0, longestChecked)
  for (const paste of pastes) {
    const match = paste.exec(searched)
    if (match) return match.index
  }
  return undefined
}

const file =
  /(?:^|[\s`"'(@/])(?:[\w@-][\w./@-]*\.(?:md|mdx|txt|rst|adoc|ya?ml|json|toml|ini|cfg|log|pdf|docx?|html?|go|rs|ts|tsx|js|jsx|py|rb|java|kt|c|h|cpp|cs|sh|sql|css|proto|tf)|(?:README|CONTRIBUTING|CHANGELOG|HACKING|AGENTS|CLAUDE|GEMINI|LICENSE|SECURITY|STYLE|NOTES)\b)/

/** Whether a line names the source of the text below it: "admin-ui/STYLE.md:", "from the wiki:". */
export function introducesSource(line: string): boolean {
  const text = line.trim().slice(0, longestChecked)
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

/** Whether a line is a ticket's number and title. */
export function isTicketHead(line: string): boolean {
  return /^\s*(?:\[?[A-Z]{2,}-\d+\]?|#\d{2,})(?:\s*[:—–-]?\s*\S.{0,100})?\s*$/.test(
    line.slice(0, longestChecked),
  )
}
