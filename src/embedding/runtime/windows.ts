/** A stretch of word pieces that the model reads at once. */
export interface Window {
  /** First piece read, and the one after the last. */
  start: number
  end: number
  /** The part whose pieces this window speaks for: where windows overlap, each has its half. */
  ownStart: number
  ownEnd: number
}

/**
 * Cuts a text of that many pieces into windows of at most `size` that share `overlap` pieces with their neighbours,
 * so that no piece is read without what stands around it.
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
