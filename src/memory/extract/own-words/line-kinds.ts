/** Lines of logs and stack traces. */
const logLine =
  /^\s*(?:\[?\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d|at [\w$.<>[\] ]{1,200} ?\(|at \S+:\d+:\d+|(?:[A-Z]\w*)?(?:Error|Exception|Warning)\b.*:|Traceback|(?:ERROR|WARN|WARNING|INFO|DEBUG|FATAL|FAIL|PASS)\b|npm (?:ERR|WARN)|error(?:\[\w+\]| TS\d+)|File ".*", line \d+|E\s{2,}|panic: |goroutine \d+ )/

/** A quotation, shell prompt, comment, data, markup, table row or diff. */
const markedLine =
  /^\s*(?:>|\$ |#!|#{1,6} |\/\/|\/\*|\* @|--\s|--$|<!--|[{}[\]]|<\/?\w|\||@@ |diff --git|index [0-9a-f]{6,}|\+\+\+ |--- )/

/** A line that users paste rather than write: a log, quotation, command, data, code or diff. */
export function isPastedLine(line: string): boolean {
  return markedLine.test(line) || logLine.test(line) || isIndented(line) || isCode(line)
}

/** Indented like code and quotations; list items may be indented. */
function isIndented(line: string): boolean {
  return /^(?: {4}|\t)\s*(?![-*•+]\s|\d{1,2}[.)]\s)\S/.test(line)
}

/** At most this many characters of a line are checked. */
const longestChecked = 400

function isCode(line: string): boolean {
  const text = line.trim().slice(0, longestChecked)
  if (/[;{]$/.test(text) && /[=()[\]{}]/.test(text)) return true
  if (text.length <= 40) return false
  const letters = text.match(/[\p{L}\p{M}\p{N} ,.'?!:-]/gu)?.length ?? 0
  return letters / text.length < 0.72
}

/** Lines that only documents, mails, tickets, chats and listings have; one makes a block pasted. */
const documentLines: readonly RegExp[] = [
  /^#{1,6}\s+\S/,
  /^(?:={3,}|-{3,}|\*{3,})$/,
  /^\d+(?:\.\d+)+\.?\s+\S/,
  /^\d{1,6}(?:[|→\t]|: )/,
  /^\[[\d:., /-]{4,20}(?: ?[AP]M)?\]\s*\S/,
  /^\(?\d{1,2}:\d\d(?::\d\d)?\)?\s+[\w.@-]+\s*[:>-]/,
  /^<[\w.@-]{1,30}>\s/,
  /^@[\w.-]{1,40}:\s/,
  /^(?:diff --git|@@ -|--- a\/|\+\+\+ b\/)/,
  /^(?:panic: |Traceback|goroutine \d+ |Exception in thread)/,
  /^\|.*\|$/,
  /^(?:-- |\/\/ |\/\* )/,
  /^(?:On .{4,80} wrote:|-+ ?(?:Original|Forwarded) message)/i,
]

/** Whether a line occurs only in documents, mails, tickets, chats or listings. */
export function isDocumentLine(line: string): boolean {
  return documentLines.some((pattern) => pattern.test(line.trim().slice(0, longestChecked)))
}

/** "From: …", "Subject: …", "Priority: …": fields of mails and tickets. */
export function isField(line: string): boolean {
  return (
    /^["']?[A-Z][\w-]{1,20}(?: [\w-]{1,20})?["']?\s?:\s+\S/.test(line.trim().slice(0, longestChecked)) ||
    isSetting(line)
  )
}

/** "indent_style = tab", "  quoted-strings: {…": a line of a configuration. */
function isSetting(line: string): boolean {
  return /^\s*["']?[\w.-]{1,60}["']?\s?(?:=\s?\S|:\s*[[{|"'\d]|:\s*(?:true|false|null|disable|enable)\b)/.test(
    line,
  )
}

export function isItem(line: string): boolean {
  return /^\s*(?:[-*•+]|\(?\d{1,2}[.)])\s+\S/.test(line)
}

export function isAddressAlone(line: string): boolean {
  return /^\s*<?https?:\/\/\S+>?\s*$/.test(line)
}
