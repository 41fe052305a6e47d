const pairs: readonly RegExp[] = [
  /"[^"]*"/g,
  /[“„][^“”„]*[”“]/g,
  /«[^«»]*»/g,
  /「[^「」]*」/g,
  /『[^『』]*』/g,
  /【[^【】]*】/g,
]

/** Stands where others' words were: whoever reads on knows a quotation by it, and takes nothing from its sentence. */
export const leftOut = '"some words left out"'

/** A text with each quotation of more than a few words left out; names and single words in quotes stay. */
export function withoutQuotations(text: string): string {
  return pairs.reduce(
    (rest, pair) => rest.replaceAll(pair, (quoted) => (isLong(quoted) ? leftOut : quoted)),
    text,
  )
}

/** In scripts without spaces a few signs are a sentence. */
function isLong(quoted: string): boolean {
  return quoted.trim().split(/\s+/, 5).length >= 4 || (!/[a-z]/i.test(quoted) && quoted.length > 12)
}
