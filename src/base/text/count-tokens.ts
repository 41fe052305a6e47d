/** Roughly how many tokens a text takes; rather more than fewer for prose and code. */
export function tokensIn(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4)
}
