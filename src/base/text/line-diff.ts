/** How many unchanged lines are shown around a change. */
const around = 3

interface Line {
  sign: " " | "-" | "+"
  text: string
}

/** What differs between two texts, line by line, as `diff -u` shows it; empty where nothing does. */
export function lineDiff(before: string, after: string): string[] {
  const lines = align(linesOf(before), linesOf(after))
  const shown = lines.map((_, index) =>
    lines.slice(Math.max(0, index - around), index + around + 1).some(({ sign }) => sign !== " "),
  )
  return lines.flatMap(({ sign, text }, index) => {
    if (!shown[index]) return []
    const isGap = index > 0 && !shown[index - 1]
    return [...(isGap ? ["…"] : []), `${sign}${text}`]
  })
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n")
}

/** Both texts as one list: what they share at both ends, and the shortest way from one to the other between. */
function align(before: string[], after: string[]): Line[] {
  const most = Math.min(before.length, after.length)
  let head = 0
  while (head < most && before[head] === after[head]) head += 1
  let tail = 0
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1
  const same = (text: string): Line => ({ sign: " ", text })
  return [
    ...before.slice(0, head).map(same),
    ...middle(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...before.slice(before.length - tail).map(same),
  ]
}

/** Beyond this many pairs of lines the middle is shown as taken away and put there anew. */
const mostPairs = 4_000_000

function middle(before: string[], after: string[]): Line[] {
  const removed = (text: string): Line => ({ sign: "-", text })
  const added = (text: string): Line => ({ sign: "+", text })
  if (before.length * after.length > mostPairs) return [...before.map(removed), ...after.map(added)]
  const shared = sharedLengths(before, after)
  const lines: Line[] = []
  let [left, right] = [0, 0]
  while (left < before.length && right < after.length) {
    const [old = "", fresh = ""] = [before[left], after[right]]
    if (old === fresh) {
      lines.push({ sign: " ", text: old })
      left += 1
      right += 1
    } else if ((shared[left + 1]?.[right] ?? 0) >= (shared[left]?.[right + 1] ?? 0)) {
      lines.push(removed(old))
      left += 1
    } else {
      lines.push(added(fresh))
      right += 1
    }
  }
  return [...lines, ...before.slice(left).map(removed), ...after.slice(right).map(added)]
}

/** How many lines the rests of both texts share in order, from every pair of places. */
function sharedLengths(before: string[], after: string[]): Uint16Array[] {
  const rows = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1))
  for (let left = before.length - 1; left >= 0; left -= 1) {
    const [row, below] = [rows[left], rows[left + 1]]
    if (row === undefined || below === undefined) continue
    for (let right = after.length - 1; right >= 0; right -= 1) {
      const isSame = before[left] === after[right]
      row[right] = isSame ? (below[right + 1] ?? 0) + 1 : Math.max(below[right] ?? 0, row[right + 1] ?? 0)
    }
  }
  return rows
}
