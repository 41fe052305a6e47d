import irregular from "../../../assets/words/irregular-forms.json" with { type: "json" }
import { notInflected } from "../words/word-lists.ts"

/** Each irregular form with its base. */
const irregularForms: ReadonlyMap<string, string> = new Map(
  Object.entries(irregular).flatMap(([base, forms]) =>
    forms.split(", ").map((form): [string, string] => [form, base]),
  ),
)

/** The dictionary form of an English word: a guess, but the same guess for all its forms. */
export function baseForm(word: string, isBase: (word: string) => boolean): string {
  const irregular = irregularForms.get(word)
  if (irregular !== undefined) return irregular
  if (word.length < 4 || notInflected.has(word)) return word
  if (word.endsWith("s")) return withoutS(word)
  if (word.endsWith("ing")) return withoutEnding(word, word.slice(0, -3), isBase)
  if (word.endsWith("ied")) return word.length > 4 ? `${word.slice(0, -3)}y` : word
  if (word.endsWith("ed") && !word.endsWith("eed")) return withoutEnding(word, word.slice(0, -2), isBase)
  return word
}

function withoutS(word: string): string {
  if (/(?:ss|us|is)$/.test(word)) return word
  if (word.endsWith("ies")) return word.length > 4 ? `${word.slice(0, -3)}y` : word.slice(0, -1)
  if (/(?:ss|sh|ch|x|zz)es$/.test(word)) return word.slice(0, -2)
  return word.slice(0, -1)
}

function withoutEnding(word: string, stem: string, isBase: (word: string) => boolean): string {
  if (stem.length < 2 || !/[aeiouy]/.test(stem)) return word
  if (isBase(stem)) return stem
  if (isBase(`${stem}e`)) return `${stem}e`
  if (/([bdgmnprt])\1$/.test(stem)) return stem.slice(0, -1)
  return lostItsE(stem) ? `${stem}e` : stem
}

/** Whether a stem seems to have lost an e before its ending: cach-ing, migrat-ed, handl-ing. */
function lostItsE(stem: string): boolean {
  return (
    /^[^aeiouy]*[aeiouy][^aeiouywxh]$/.test(stem) ||
    /(?:[cuvz]|[adrln]g|[bcdfgkptz]l|[^aeiou][ai]t|iat|eat|[ou]s|[nrlpa]s|[iy]s|ir|ur|[^aeiou]or|id|ul|[^aeiou]il|[^aeiou]in|par)$/.test(
      stem,
    )
  )
}
