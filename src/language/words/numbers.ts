const units =
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(
    " ",
  )
const tens = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ")

/** Number words below a hundred. */
export const smallNumbers: ReadonlyMap<string, number> = new Map([
  ...units.map((word, value): [string, number] => [word, value]),
  ...tens.map((word, index): [string, number] => [word, (index + 2) * 10]),
])

const unitOrdinals =
  "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth".split(
    " ",
  )
const tenOrdinals =
  "twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth hundredth".split(" ")

export const ordinalWords: ReadonlyMap<string, number> = new Map([
  ...unitOrdinals.map((word, index): [string, number] => [word, index + 1]),
  ...tenOrdinals.map((word, index): [string, number] => [word, (index + 2) * 10]),
  ["thousandth", 1000],
  ["millionth", 1_000_000],
])

const monthNames =
  "january february march april may june july august september october november december".split(" ")

/** Months by name and abbreviation. */
export const months: ReadonlyMap<string, number> = new Map([
  ...monthNames.map((name, index): [string, number] => [name, index + 1]),
  ...monthNames.map((name, index): [string, number] => [name.slice(0, 3), index + 1]),
  ["sept", 9],
])
