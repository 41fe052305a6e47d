import { linksIn } from "../discovery/items/canonical-url.ts"

/** A text with at most so many links; further ones are taken out. */
export function limitLinks(text: string, most: number): string {
  let result = text
  for (const link of linksIn(text).slice(most)) {
    const at = result.lastIndexOf(link)
    if (at !== -1) result = `${result.slice(0, at)}${result.slice(at + link.length)}`
  }
  return result
    .replaceAll(/<>|\(\s*\)|\[\s*\]\(\s*\)/g, "")
    .replaceAll(/[ \t]{2,}/g, " ")
    .replaceAll(/[ \t]+$/gm, "")
    .trim()
}
