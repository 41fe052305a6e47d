const pairs: readonly RegExp[] = [
  /"[^"]*"/g,
  /[“„][^“”„]*[”“]/g,
  /«[^«»]*»/g,
  /「[^「」]*」/g,
  /『[^『』]*』/g,
  /【[^【】]*】/g,
]

/** Replaces a quotation: sentences with it teach nothing. */
export const quotationPlaceholder = '"some words left out"'

/** Replaces quotations of more than a few words; names and single words in quotes stay. */
export function withoutQuotations(text: string): string {
  return pairs.reduce(
    (rest, pair) => rest.replaceAll(pair, (quoted) => (isLong(quoted) ? quotationPlaceholder : quoted)),
    text,
  )
}

/** In scripts without spaces a few characters are a sentence. */
function isLong(quoted: string): boolean {
  return quoted.trim().split(/\s+/, 5).length >= 4 || (!/[a-z]/i.test(quoted) && quoted.length > 12)
}
