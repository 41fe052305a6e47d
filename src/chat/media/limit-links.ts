/** Where an address stands in a text; a bracket or a full stop behind it is none of it. */
const address = /\bhttps?:\/\/[^\s<>]+[^\s<>.,;:!?'")\]]/gi

/** A text with so many links at most; those beyond are left out. */
export function limitLinks(text: string, most: number): string {
  let seen = 0
  const limited = text.replaceAll(address, (link) => {
    seen += 1
    return seen <= most ? link : ""
  })
  if (seen <= most) return text
  return limited
    .replaceAll(/<>|\(\s*\)|\[\s*\]/g, "")
    .replaceAll(/[ \t]{2,}/g, " ")
    .replaceAll(/[ \t]+$/gm, "")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim()
}
