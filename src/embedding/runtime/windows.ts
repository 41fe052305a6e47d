/** A range of word pieces that the model reads at once. */
export interface Window {
  /** The first piece, and the one after the last. */
  start: number
  end: number
  /** The pieces that belong to this window: each has half of an overlap. */
  ownStart: number
  ownEnd: number
}

/**
 * Splits a text of this many pieces into windows of at most `size` that share `overlap` pieces, so that every piece is
 * read with its context.
 */
export function windowsOf(pieces: number, size: number, overlap: number): Window[] {
  const windows: Window[] = []
  for (let start = 0; ; start += size - overlap) {
    const end = Math.min(start + size, pieces)
    const isLast = end === pieces
    const half = overlap / 2
    windows.push({
      start,
      end,
      ownStart: start === 0 ? 0 : start + half,
      ownEnd: isLast ? end : end - half,
    })
    if (isLast) return windows
  }
}
