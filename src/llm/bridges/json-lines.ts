/** The JSON objects among the lines of a program's output; torn lines and prose are passed over. */
export function* jsonLines(text: string): Generator<Record<string, unknown>> {
  for (const line of text.split("\n")) {
    if (!line.startsWith("{")) continue
    try {
      yield JSON.parse(line)
    } catch {}
  }
}
