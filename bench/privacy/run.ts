import { readFileSync } from "node:fs"
import { systemClock } from "../../src/base/clock.ts"
import { configSchema } from "../../src/config/schema.ts"
import { openScreen, type Screen } from "../../src/privacy/screen.ts"
import { createSecretlintScan } from "../../src/privacy/secretlint-scan.ts"
import { harmlessTexts } from "../../testkit/hostile/harmless-texts.ts"
import { type PlantedSecret, plantPersonalData, plantSecrets } from "../../testkit/hostile/planted-secrets.ts"
import { createSeededRandom } from "../../testkit/seeded-random.ts"
import { type Benchmark, type Figure, percentile, timed } from "../shared/figures.ts"
import { createTexts } from "../shared/made-up-texts.ts"

const seeds = [101, 102, 103, 104, 105, 106, 107, 108, 109, 110]
const secretsEach = 550
const personalEach = 120
const importedTexts = 20_000
const longText = 20_000
const rounds = 5

/** What the privacy screen finds, misses and takes by mistake, and how many texts a second go through it. */
export const privacy: Benchmark = {
  about: "secrets and personal data found and missed by kind, false alarms, texts screened a second",
  options: { kinds: { type: "boolean", help: "also one figure for each kind of secret" } },
  async run({ say, options }) {
    const screen = openScreen({ clock: systemClock }, configSchema.parse({}).privacy)
    say("planting")
    const secrets = seeds.flatMap((seed) => plantSecrets(createSeededRandom(seed), secretsEach))
    const personal = seeds.flatMap((seed) => plantPersonalData(createSeededRandom(seed), personalEach))
    const harmless = seeds.flatMap((seed) => harmlessTexts(createSeededRandom(seed)))
    say("looking for what was planted")
    const alarms = await falseAlarms(screen, harmless)
    return [
      ...(await foundFigures(screen, "secrets", secrets, options.kinds === true)),
      ...(await foundFigures(screen, "personal", personal, options.kinds === true)),
      {
        id: "second-opinion-alone.secrets.missed",
        value: await missedBySecond(secrets),
        unit: "texts",
        better: "lower",
      },
      { id: "harmless.texts", value: harmless.length, unit: "texts", better: "higher" },
      { id: "harmless.false-alarms", value: alarms, unit: "texts", better: "lower" },
      ...(await authorFigures(screen)),
      ...(await speedFigures(screen, secrets, say)),
    ]
  },
}

/** Texts by authors who had not seen the rules. The rules were never mended by what the last of them wrote. */
const authorsFile = new URL("../data/secrets-authors.jsonl", import.meta.url)

const leftOut = 4

/** A text of one of them; without a secret it is harmless. */
interface AuthorsText {
  author: number
  kind: string
  text: string
  secret?: string
}

/** What each author wrote was looked at only after it had been counted once; docs/privacy.md tells the first counts. */
async function authorFigures(screen: Screen): Promise<Figure[]> {
  const texts = readFileSync(authorsFile, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line): AuthorsText => JSON.parse(line))
  const byAuthor = Map.groupBy(texts, ({ author }) => author)
  const figures: Figure[] = []
  for (const [author, own] of byAuthor) figures.push(...(await figuresOfAuthor(screen, author, own)))
  return figures
}

async function figuresOfAuthor(
  screen: Screen,
  author: number,
  texts: readonly AuthorsText[],
): Promise<Figure[]> {
  const planted = texts.flatMap(({ kind, text, secret }) =>
    secret === undefined ? [] : { kind, text, secret },
  )
  const harmless = texts.filter(({ secret }) => secret === undefined).map(({ text }) => text)
  let missed = 0
  for (const one of planted) if (await leaks(screen, one)) missed += 1
  const alarms = await falseAlarms(screen, harmless)
  const name = author === leftOut ? "left-out-author" : `authors.${author}`
  return [
    { id: `${name}.planted`, value: planted.length, unit: "texts", better: "higher" },
    { id: `${name}.missed`, value: missed, unit: "texts", better: "lower" },
    { id: `${name}.harmless`, value: harmless.length, unit: "texts", better: "higher" },
    { id: `${name}.false-alarms`, value: alarms, unit: "texts", better: "lower" },
  ]
}

async function leaks(screen: Screen, { secret, text }: PlantedSecret): Promise<boolean> {
  const screened = await screen.check(text)
  return screened.outcome !== "refused" && screened.text.includes(secret)
}

async function foundFigures(
  screen: Screen,
  name: string,
  planted: readonly PlantedSecret[],
  withKinds: boolean,
): Promise<Figure[]> {
  const byKind = new Map<string, { planted: number; found: number }>()
  for (const one of planted) {
    const count = byKind.get(one.kind) ?? { planted: 0, found: 0 }
    const isFound = !(await leaks(screen, one))
    byKind.set(one.kind, { planted: count.planted + 1, found: count.found + (isFound ? 1 : 0) })
  }
  const found = [...byKind.values()].reduce((sum, count) => sum + count.found, 0)
  const kinds = [...byKind].map(([kind, count]): Figure => {
    const baseline = { name: "planted", value: count.planted }
    return { id: `${name}.found.${kind}`, value: count.found, unit: "texts", better: "higher", baseline }
  })
  return [
    { id: `${name}.kinds`, value: byKind.size, unit: "kinds", better: "higher" },
    { id: `${name}.planted`, value: planted.length, unit: "texts", better: "higher" },
    { id: `${name}.missed`, value: planted.length - found, unit: "texts", better: "lower" },
    ...(withKinds ? kinds : []),
  ]
}

/** How many secrets the second opinion would have let through, had it been alone. */
async function missedBySecond(planted: readonly PlantedSecret[]): Promise<number> {
  const ask = createSecretlintScan()
  let missed = 0
  for (const { secret, text } of planted) {
    const at = text.indexOf(secret)
    const found = await ask(text)
    if (!found.some(({ start, end }) => start < at + secret.length && end > at)) missed += 1
  }
  return missed
}

async function falseAlarms(screen: Screen, harmless: readonly string[]): Promise<number> {
  let alarms = 0
  for (const text of harmless) if ((await screen.check(text)).outcome !== "clean") alarms += 1
  return alarms
}

async function speedFigures(
  screen: Screen,
  planted: readonly PlantedSecret[],
  say: (text: string) => void,
): Promise<Figure[]> {
  const made = createTexts(7)
  const plain = Array.from({ length: importedTexts }, () => made.memory().content)
  const long = hostileParts.map((part) => part.repeat(Math.ceil(longText / part.length)).slice(0, longText))
  say("timing")
  const all = async (texts: readonly string[]) => {
    for (const text of texts) await screen.check(text)
  }
  const perSecond = async (texts: readonly string[]) => {
    const runs: number[] = []
    for (let round = 0; round < rounds; round += 1) runs.push(await timed(() => all(texts)))
    return (texts.length * 1000) / percentile(runs, 0.5)
  }
  const log = await timed(async () => {
    for (const text of plain) screen.redactSync(text)
  })
  const slow: number[] = []
  for (const text of long) slow.push(await timed(() => screen.check(text)))
  return [
    { id: "texts-per-second.memories", value: await perSecond(plain), unit: "texts/s", better: "higher" },
    {
      id: "texts-per-second.with-secrets",
      value: await perSecond(planted.map(({ text }) => text)),
      unit: "texts/s",
      better: "higher",
    },
    { id: "lines-per-second.log", value: (plain.length * 1000) / log, unit: "lines/s", better: "higher" },
    { id: "hostile-20000-characters.slowest", value: Math.max(...slow), unit: "ms", better: "lower" },
  ]
}

/** What texts that are made to be slow are made of. */
const hostileParts = [
  ...'a A1 aA1 = password= AccountKey= ://a: ://a:b@ @a. 1- DE89 eyJ eyJghp_xoxb-1- \\n " <password> AKIA /'.split(
    " ",
  ),
  "password is ",
  "token: ",
  "bearer ",
  "+1 ",
  "4111 ",
  "-----BEGIN RSA PRIVATE KEY-----",
  '" +\n"',
  "secret aB3dE5gH7jK9mN1pQ3rS5 ",
  "curl -u ",
  'curl "',
  "recovery codes: abcd-efg1 ",
  "abandon ",
  "ABCDE-",
  "NAME=",
  "kind: Secret\ndata:\n  a: b\n",
]
