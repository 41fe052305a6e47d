import { describe, expect, test } from "vitest"
import { configSchema } from "../../src/config/schema.ts"
import { openScreen } from "../../src/privacy/screen.ts"
import { createManualClock } from "../../testkit/manual-clock.ts"

const screen = openScreen({ clock: createManualClock() }, configSchema.parse({}).privacy)

/** What rules look for, so that each of them tries as often as it can. */
const parts = {
  letters: ["a", "aA1", "é", "😀", "deadbeef", "0x", "abcd ", "._-", "ABCDE-", "密码", "пароль "],
  signs: [" ", "\n", "\n ", "\t", "=", "A=", "NAME=", '"', '" +\n"', "\\", "|", "(", "[", "</", "\uFFFC"],
  "telling words": [
    "password",
    "password=",
    "password: ",
    "password is ",
    "password is a b ",
    "mdp ",
    "secret ",
  ],
  "plain words": ["password is swordfish ", "wifi a ", "wifi password ", "the code of the ", "door code "],
  addresses: [
    "://",
    "://a:",
    "://a:b@",
    "/reset/",
    "/reset/aaaaaaaaaaaaaaaaaaaaaaaa",
    "?sig=",
    "@a.",
    "%3a%2f%2f",
  ],
  tokens: ["eyJ", "eyJghp_xoxb-1-", "eyJaaaaaaaaaaaaa.", "bearer ", "basic ", "AKIA", "cookie: a="],
  keys: [
    "-----BEGIN RSA PRIVATE KEY-----",
    "-----BEGIN RSA PRIVATE KEY-----\n-----END RSA PRIVATE KEY-----\n",
    "-----END RSA PRIVATE KEY-----",
    "0xabcdef private key ",
    "seed -> ",
  ],
  commands: [
    "curl -u ",
    'curl "',
    "curl curl ",
    "mysql -p",
    "sudo ",
    "echo ",
    "X-API-Key:",
    "use a as ",
    "login a / ",
  ],
  settings: [
    "export A=",
    "set -gx A ",
    "ENV A ",
    "ABC: ",
    "kind: Secret\ndata:\n  a: b\n",
    "name: password value: ",
  ],
  files: [
    "machine a login b password ",
    "a:*:a:",
    "jdbc:oracle:thin:a/",
    "AUTH ",
    "| pass | a |\n|---|---|\n",
  ],
  codes: [
    "recovery codes: abcd-efg1 ",
    "enter 1234 ",
    "app password abcd ",
    "otp secret ",
    "WIFI:S:a;",
    "abandon ",
  ],
  "made values": ["admin, aB3dE5gH", "auth sha 7 ", 'login("aB3", ', "key [1,2,200,", "aB3dE5gH7jK9 id "],
  "personal data": ["1-", "1 ", "+1 ", "4111 ", "DE89 "],
  marks: ["[password removed]", "GET secret\naaaaaaaaaaa1A\n"],
}

function repeated(part: string, length: number): string {
  return part.repeat(Math.ceil(length / part.length)).slice(0, length)
}

/** Milliseconds of the processor, which a busy machine does not lengthen; the shortest of several runs. */
function cpuMs(text: string, runs: number): number {
  const times = Array.from({ length: runs }, () => {
    const before = process.cpuUsage()
    screen.redactSync(text)
    return process.cpuUsage(before).user / 1000
  })
  return Math.min(...times)
}

/** Below this a run says more about the machine than about the text. */
const leastMs = 8
const mostGrowth = 20

describe("A text ten times as long takes no more than twenty times as long, made of", () => {
  test.each(Object.entries(parts))(
    "%s",
    (_, own) => {
      for (const part of own) {
        const text = repeated(part, 150_000)
        if (cpuMs(text, 1) <= leastMs * mostGrowth) continue
        const long = cpuMs(text, 3)
        const short = Math.max(leastMs, cpuMs(repeated(part, 15_000), 3))
        expect(long / short, JSON.stringify(part)).toBeLessThanOrEqual(mostGrowth)
      }
    },
    120_000,
  )
})
