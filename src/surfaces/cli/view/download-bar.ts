import type { Output } from "../output.ts"

const width = 24

/** Shows how far the download of the embedding model is, on a terminal; the line goes when it is done. */
export function downloadBar(
  output: Output,
): (progress: { file: string; received: number; bytes: number }) => void {
  return ({ received, bytes }) => {
    if (received >= bytes) return output.progress("")
    const done = Math.floor((received / bytes) * width)
    const bar = `${"█".repeat(done)}${"░".repeat(width - done)}`
    output.progress(
      `Fetching the embedding model, once: ${bar} ${megabytes(received)} of ${megabytes(bytes)} MB`,
    )
  }
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1)
}
