/** A part of a text that consists of characters of tokens only. */
export interface Run {
  run: string
  index: number
}

const shortest = 16
const isTokenSign = tableOf("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+/=.:~%$@,{}-")

/**
 * The runs of at least 16 characters of tokens; few texts have more than a handful. It tests only every sixteenth
 * character until one could belong to a run, which makes it the cheapest test.
 */
export function longRuns(text: string): Run[] {
  const found: Run[] = []
  for (let at = shortest - 1; at < text.length; ) {
    if (!fits(text, at)) {
      at += shortest
      continue
    }
    let start = at
    while (start > 0 && fits(text, start - 1)) start -= 1
    let end = at + 1
    while (end < text.length && fits(text, end)) end += 1
    if (end - start >= shortest) found.push({ run: text.slice(start, end), index: start })
    // No run can begin before the end of this one.
    at = end + shortest
  }
  return found
}

function fits(text: string, at: number): boolean {
  return isTokenSign[text.charCodeAt(at)] === 1
}

/** 1 at the code of each of these characters. */
function tableOf(signs: string): Uint8Array {
  const table = new Uint8Array(128)
  for (const sign of signs) table[sign.charCodeAt(0)] = 1
  return table
}
