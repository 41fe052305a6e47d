import { jsonIn } from "../../base/text/json.ts"

/** The JSON objects among the lines of a program's output; torn lines and prose are passed over. */
export function* jsonLines(text: string): Generator<Record<string, unknown>> {
  for (const line of text.split("\n")) {
    const value = line.startsWith("{") ? jsonIn(line) : undefined
    if (value !== undefined) yield value as Record<string, unknown>
  }
}
