/** What denies in English, longest first by words, with what stays of it in the sentence. */
export const englishNegators: Readonly<Record<string, { stays?: string; ended?: boolean }>> = {
  "no longer": { ended: true },
  "not anymore": { ended: true },
  "not any more": { ended: true },
  "used to": { ended: true },
  "stop using": { stays: "use", ended: true },
  "stopped using": { stays: "use", ended: true },
  "quit using": { stays: "use", ended: true },
  "avoid using": { stays: "use" },
  "refrain from": {},
  "instead of using": { stays: "use" },
  "no one": { stays: "somebody" },
  "not a single": {},
  "under no circumstances": {},
  "by no means": {},
  "at no time": {},
  not: {},
  no: {},
  non: {},
  never: {},
  cannot: {},
  nobody: { stays: "somebody" },
  nothing: { stays: "something" },
  nowhere: { stays: "somewhere" },
  none: {},
  neither: {},
  nor: {},
  without: { stays: "with" },
  avoid: { stays: "use" },
}

/** Articles that a negating article replaces, and words that deny, by language. */
export const foreignNegators: Readonly<
  Record<string, { negators: ReadonlySet<string>; drops: ReadonlySet<string> }>
> = {
  de: language(
    "nicht kein keine keinen keiner keinem keines nie niemals nichts niemand nirgends",
    "ein eine einen einer einem eines immer",
  ),
  fr: language("ne n pas jamais aucun aucune rien personne", "un une des du de d toujours"),
  es: language("no nunca jamás ningún ninguna ninguno nada nadie tampoco", "un una unos unas siempre"),
  it: language("non mai nessun nessuna nessuno niente nulla", "un uno una sempre"),
  pt: language("não nunca jamais nenhum nenhuma nada ninguém", "um uma uns umas sempre"),
  nl: language("niet geen nooit niets niemand nergens", "een altijd"),
}

/** Words that exclude each other in languages we know little of. */
export const foreignOpposites: readonly (readonly [string, string])[] = [
  ["mit", "ohne"],
  ["immer", "nie"],
  ["ja", "nein"],
  ["an", "aus"],
  ["vor", "nach"],
  ["aktiviert", "deaktiviert"],
  ["avec", "sans"],
  ["toujours", "jamais"],
  ["oui", "non"],
  ["avant", "après"],
  ["activé", "désactivé"],
  ["con", "sin"],
  ["siempre", "nunca"],
  ["sí", "no"],
  ["antes", "después"],
  ["activado", "desactivado"],
  ["con", "senza"],
  ["sempre", "mai"],
  ["sì", "no"],
  ["prima", "dopo"],
  ["com", "sem"],
  ["sempre", "nunca"],
  ["sim", "não"],
  ["antes", "depois"],
  ["ativado", "desativado"],
  ["met", "zonder"],
  ["altijd", "nooit"],
  ["nee", "ja"],
  ["voor", "na"],
]

/** Frequent short words by which a language is told; English among them. */
export const tellingWords: Readonly<Record<string, ReadonlySet<string>>> = {
  en: set(
    "the a an is are was were be to of and in for with on that this it we you i not do does use uses from by at as or must should never always no user prefers",
  ),
  de: set(
    "der die das den dem ein eine einen ist sind war nicht kein keine und oder mit für auf wir ich du nutzen verwendet bevorzugt immer nie bei im zum zur vom ohne wird werden auch nur",
  ),
  fr: set(
    "le la les un une des est sont était ne pas et ou avec pour sur nous je vous dans du au aux ce cette toujours jamais sans utilise préfère",
  ),
  es: set(
    "el la los las un una es son era no y o con para en nosotros yo del al este esta siempre nunca sin usa usamos prefiere por se",
  ),
  it: set(
    "il lo la i gli le un una è sono era non e o con per su noi io del della nel questo questa sempre mai senza usa preferisce si",
  ),
  pt: set(
    "o a os as um uma é são era não e ou com para em nós eu do da no na este esta sempre nunca sem usa prefere se",
  ),
  nl: set(
    "de het een is zijn was niet geen en of met voor op wij we ik in van dit deze altijd nooit zonder gebruikt gebruiken naar bij",
  ),
}

function language(negators: string, drops: string) {
  return { negators: set(negators), drops: set(drops) }
}

function set(words: string): ReadonlySet<string> {
  return new Set(words.split(" "))
}
