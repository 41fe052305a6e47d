/** Where a text may be split, best first: after a paragraph, a line, a sentence, a word. */
const cuts = [/\n\s*\n/gu, /\n/gu, /[.!?…。！？]+["'”’»)\]]*\s+|[。！？]/gu, /\s+/gu]

/** Splits a text into parts of at most this many characters, each at least half as long except the last. */
export function splitText(text: string, longest: number): string[] {
  const parts: string[] = []
  let rest = text.trim()
  for (;;) {
    const window = head(rest, longest)
    if (window.length === rest.length) break
    const end = bestCut(window)
    parts.push(rest.slice(0, end).trimEnd())
    rest = rest.slice(end).trimStart()
  }
  return [...parts, rest].filter((part) => part !== "")
}

/** The first characters of a text; a character may have two code units. */
function head(text: string, characters: number): string {
  if (text.length <= characters) return text
  let units = 0
  let count = 0
  for (const character of text) {
    if (count === characters) break
    units += character.length
    count += 1
  }
  return text.slice(0, units)
}

function bestCut(window: string): number {
  const least = window.length / 2
  for (const cut of cuts) {
    let best = 0
    for (const { 0: found, index } of window.matchAll(cut)) best = index + found.length
    if (best > least) return best
  }
  return window.length
}
