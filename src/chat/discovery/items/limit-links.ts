import { linksIn } from "./canonical-url.ts"

/** A text with at most so many links; further ones are taken out. */
export function limitLinks(text: string, most: number): string {
  const beyond = linksIn(text).slice(most)
  if (beyond.length === 0) return text
  let result = text
  for (const link of beyond.reverse()) {
    const at = result.lastIndexOf(link)
    if (at !== -1) result = `${result.slice(0, at)}${result.slice(at + link.length)}`
  }
  return result
    .replaceAll(/<>|\(\s*\)|\[\s*\](?:\(\s*\))?/g, "")
    .replaceAll(/[ \t]{2,}/g, " ")
    .replaceAll(/[ \t]+$/gm, "")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim()
}
