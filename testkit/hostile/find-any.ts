/** Which of the words stand in a text; goes through the text once, however many words there are. */
export function findAny(text: string, words: Iterable<string>): Set<string> {
  const byStart = new Map<number, string[]>()
  for (const word of words) {
    if (word.length < startLength) throw new Error(`"${word}" is too short to be looked for`)
    const start = startOf(word, 0)
    byStart.set(start, [...(byStart.get(start) ?? []), word])
  }
  const isStart = new Uint8Array(starts)
  for (const start of byStart.keys()) isStart[start] = 1
  const found = new Set<string>()
  for (let at = 0; at <= text.length - startLength; at += 1) {
    const start = startOf(text, at)
    if (isStart[start] === 0) continue
    for (const word of byStart.get(start) ?? []) if (text.startsWith(word, at)) found.add(word)
  }
  return found
}

const startLength = 4
const starts = 2 ** 20

/** A number that stands for the four characters at a place; others may have the same. */
function startOf(text: string, at: number): number {
  let start = 0
  for (let index = at; index < at + startLength; index += 1) {
    start = (Math.imul(start, 33) + text.charCodeAt(index)) & (starts - 1)
  }
  return start
}
