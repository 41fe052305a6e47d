/** The fence by which our own words are known again in a transcript, and never learned as new. */
export const fence = { begin: "<reverie-memory>", end: "</reverie-memory>" } as const

/** Puts text into the fence. */
export function fenced(text: string): string {
  return `${fence.begin}\n${text.replaceAll(fence.end, "")}\n${fence.end}`
}
