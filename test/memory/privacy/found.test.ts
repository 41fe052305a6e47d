import { describe, expect, test } from "vitest"
import { configSchema } from "../../../src/config/schema.ts"
import { openScreen, type Screened } from "../../../src/memory/privacy/screen.ts"
import { harmlessTexts } from "../../support/harmless-texts.ts"
import { createManualClock } from "../../support/manual-clock.ts"
import { type PlantedSecret, plantPersonalData, plantSecrets } from "../../support/planted-secrets.ts"
import { createSeededRandom } from "../../support/seeded-random.ts"

const screen = openScreen({ clock: createManualClock() }, configSchema.parse({}).privacy)
/** Every kind several times over. */
const planted = plantSecrets(createSeededRandom(1), 330)
const personal = plantPersonalData(createSeededRandom(2), 60)
const random = createSeededRandom(3)
const draw = (alphabet: string, length: number) =>
  Array.from({ length }, () => alphabet[Math.floor(random.next() * alphabet.length)]).join("")

function keptOf(screened: Screened): string {
  return screened.outcome === "refused" ? "" : screened.text
}

async function leaksOf(all: readonly PlantedSecret[]): Promise<PlantedSecret[]> {
  const leaks: PlantedSecret[] = []
  for (const one of all) {
    const screened = await screen.check(one.text)
    if (screened.outcome === "clean" || keptOf(screened).includes(one.secret)) leaks.push(one)
  }
  return leaks
}

describe("Planted secrets", () => {
  test("are many, of many kinds, and really in their texts", () => {
    expect(planted.length).toBeGreaterThanOrEqual(200)
    expect(new Set(planted.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(50)
    expect(planted.filter(({ secret, text }) => secret.length < 6 || !text.includes(secret))).toEqual([])
  })

  test("are all found, and what is around them is kept", async () => {
    expect(await leaksOf(planted)).toEqual([])
    const kept = await Promise.all(planted.map(async ({ text }) => keptOf(await screen.check(text))))
    expect(kept.filter((text) => text !== "").length).toBeGreaterThan(planted.length * 0.8)
  })

  test("are found by the synchronous look for log lines too", () => {
    expect(planted.filter(({ secret, text }) => screen.redactSync(text).includes(secret))).toEqual([])
  })

  test("are found in any of several lines, and each where there are several", async () => {
    const [first, second] = planted
    const text = `Notes on the release:\n${first?.text}\n${"word ".repeat(3000)}\n${second?.text}\nThe end.`
    const kept = keptOf(await screen.check(text))
    expect(kept).toContain("Notes on the release:")
    expect(kept).not.toContain(first?.secret)
    expect(kept).not.toContain(second?.secret)
  })
})

test("Personal data is found", async () => {
  expect(await leaksOf(personal)).toEqual([])
})

test("Harmless texts stay exactly as they are", async () => {
  const harmless = harmlessTexts(createSeededRandom(4))
  expect(harmless.length).toBeGreaterThanOrEqual(200)
  const touched: string[] = []
  for (const text of harmless) {
    const screened = await screen.check(text)
    if (screened.outcome !== "clean" || screened.text !== text || screen.redactSync(text) !== text)
      touched.push(text)
  }
  expect(touched).toEqual([])
})

describe("What is found", () => {
  test("is replaced by its kind, and told by its place", async () => {
    const token = `gh${"p_"}${draw("abcdefghkmnpqrstABCDEFGHKMNPQRST23456789", 36)}`
    const text = `The release job uses ${token} to publish packages.`
    expect(await screen.check(text)).toEqual({
      outcome: "redacted",
      text: "The release job uses [github-token removed] to publish packages.",
      findings: [{ kind: "github-token", start: 21, end: 21 + token.length }],
    })
  })

  test("is refused when nothing worth keeping is left", async () => {
    const screened = await screen.check(`my password is ${draw("bcdfg", 4)}-${draw("2345678", 5)}!`)
    expect(screened).toMatchObject({ outcome: "refused", reason: "it holds little but password" })
  })

  test("in a URL is only its password", async () => {
    const url = `postgres://app:${draw("bcdfgHJKL3456", 14)}7@db.acme.io/billing`
    expect(await screen.check(`The billing database is ${url} since May.`)).toMatchObject({
      text: "The billing database is postgres://app:[url-password removed]@db.acme.io/billing since May.",
    })
  })

  test("in several languages is found", async () => {
    const secret = `${draw("BCDFG", 2)}${draw("aeiou", 4)}${draw("2345678", 4)}`
    const sentences = [
      `Das Passwort lautet ${secret} und gilt für den Router im Keller.`,
      `contraseña: ${secret} del servidor de pruebas`,
      `пароль: ${secret} от тестового сервера`,
      `テストサーバーのパスワードは「${secret}」です`,
      `测试服务器登录的密码是 ${secret} 请勿外传`,
    ]
    for (const text of sentences) expect(keptOf(await screen.check(text)), text).not.toContain(secret)
  })

  test("is found by the second opinion where our rules know nothing of it", async () => {
    // Our rules want no letter or digit before a token, secretlint no letter.
    const token = `gl${"pat-"}${draw("ABCDEFGHJKabcdefghjk23456789", 20)}`
    const text = `The bot of the release channel is number 7${token} in the list.`
    expect(screen.redactSync(text)).toBe(text)
    expect(await screen.check(text)).toMatchObject({
      outcome: "redacted",
      text: "The bot of the release channel is number 7[gitlab-credential removed] in the list.",
    })
  })
})
