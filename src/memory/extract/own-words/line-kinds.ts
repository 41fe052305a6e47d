/** Lines of logs, traces and the like. */
const logLine =
  /^\s*(?:\[?\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d|at [\w$.<>[\] ]{1,200} ?\(|at \S+:\d+:\d+|(?:[A-Z]\w*)?(?:Error|Exception|Warning)\b.*:|Traceback|(?:ERROR|WARN|WARNING|INFO|DEBUG|FATAL|FAIL|PASS)\b|npm (?:ERR|WARN)|error(?:\[\w+\]| TS\d+)|File ".*", line \d+|E\s{2,}|panic: |goroutine \d+ )/

/** Quotation, prompt of a shell, comment, data, markup, a line of a table, or a change of code. */
const markedLine =
  /^\s*(?:>|\$ |#!|#{1,6} |\/\/|\/\*|\* @|--\s|--$|<!--|[{}[\]]|<\/?\w|\||@@ |diff --git|index [0-9a-f]{6,}|\+\+\+ |--- )/

/** A line that nobody says: a log, a quotation, a command with its prompt, data, code or a change of it. */
export function isForeignLine(line: string): boolean {
  return markedLine.test(line) || logLine.test(line) || isIndented(line) || isCode(line)
}

/** Set off by an indent, as code and quotations are; items of lists may be. */
function isIndented(line: string): boolean {
  return /^(?: {4}|\t)\s*(?![-*•+]\s|\d{1,2}[.)]\s)\S/.test(line)
}

/** How much of a line is looked at to know what it is. */
const looked = 400

function isCode(line: string): boolean {
  const text = line.trim().slice(0, looked)
  if (/[;{]$/.test(text) && /[=()[\]{}]/.test(text)) return true
  if (text.length <= 40) return false
  const letters = text.match(/[\p{L}\p{M}\p{N} ,.'?!:-]/gu)?.length ?? 0
  return letters / text.length < 0.72
}

/** Lines that only documents, mails, tickets, chats and listings have; one of them makes a block foreign. */
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

/** Whether a line can only stand in a document, a mail, a ticket, a chat or a listing. */
export function isDocumentLine(line: string): boolean {
  return documentLines.some((pattern) => pattern.test(line.trim().slice(0, looked)))
}

/** "From: …", "Subject: …", "Priority: …": fields of mails and tickets; people begin few lines so. */
export function isField(line: string): boolean {
  return (
    /^["']?[A-Z][\w-]{1,20}(?: [\w-]{1,20})?["']?\s?:\s+\S/.test(line.trim().slice(0, looked)) ||
    isSetting(line)
  )
}

/** "indent_style = tab", "  quoted-strings: {…": a line of a configuration. */
function isSetting(line: string): boolean {
  return /^\s*["']?[\w.-]{1,60}["']?\s?(?:=\s?\S|:\s*[[{|"'\d]|:\s*(?:true|false|null|disable|enable)\b)/.test(
    line,
  )
}

/** An item of a list. */
export function isItem(line: string): boolean {
  return /^\s*(?:[-*•+]|\(?\d{1,2}[.)])\s+\S/.test(line)
}

/** A line with nothing but an address. */
export function isAddressAlone(line: string): boolean {
  return /^\s*<?https?:\/\/\S+>?\s*$/.test(line)
}
