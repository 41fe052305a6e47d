/** A status line about a tool: an emoji, and the tool's name or "Searching …". */
const statusLine =
  /^\s*\p{Extended_Pictographic}\uFE0F?\s*(?:[a-z]+(?:_[a-z]+)+\b.*|\p{L}+ing\b.*(?:…|\.{3})|[\p{L} ]{1,20} was (?:reset|compacted)\.?)$/u
const callElement =
  /^(?:\s*<(tool_calls?|function_calls?|tool_use|invoke|antml:[a-z_]+)\b[^>]*>[\s\S]*?(?:<\/\1\s*>|$)\s*)+$/

export function isChatterLine(line: string): boolean {
  return statusLine.test(line)
}

/** Whether the whole text is a tool call written as text. */
export function isToolCall(text: string): boolean {
  if (callElement.test(text)) return true
  return (
    /^\{[\s\S]*"(?:tool|function|name)"\s*:/.test(text) && /"(?:arguments|parameters|input)"\s*:/.test(text)
  )
}
