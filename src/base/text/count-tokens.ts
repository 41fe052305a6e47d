/** Estimates the tokens of a text; for prose and code rather too many than too few. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4)
}
