const heading = /^(?:[⚠❌🚫🛑]\uFE0F?\s*)?(?:[\p{L} ]{0,20}\b)?(?:error|exception)\s*:\s*(?<rest>[\s\S]*)$/iu
const typed = /^[A-Z]\w*(?:Error|Exception):\s*(?<rest>[\s\S]*)$/
const gaveUp =
  /^(?:the )?(?:request|connection|model|agent|operation|call)(?: was)? (?:timed out|aborted|cancelled|canceled|failed)(?: after [\d.]+ ?\p{L}+)?[.!]?$/iu
const object = /^\{\s*"(?:type"\s*:\s*"error"|error"\s*:)/

/** A longer text explains an error to people. */
const maxWords = 8

/** Whether a text is an error message rather than a reply. */
export function isErrorText(text: string): boolean {
  if (gaveUp.test(text) || object.test(text)) return true
  const rest = (heading.exec(text) ?? typed.exec(text))?.groups?.rest
  if (rest === undefined) return false
  return rest.split(/\s+/).length <= maxWords || /\n\s+at \S/.test(rest) || /^\d{3}\b/.test(rest)
}
