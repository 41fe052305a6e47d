import { describe, expect, test } from "vitest"
import { configSchema } from "../../src/config/schema.ts"
import { openScreen } from "../../src/privacy/screen.ts"
import { base62, createDraw, digits, hex, lower } from "../../testkit/draw.ts"
import { createManualClock } from "../../testkit/manual-clock.ts"
import { createSeededRandom } from "../../testkit/seeded-random.ts"

const screen = openScreen({ clock: createManualClock() }, configSchema.parse({}).privacy)
const draw = createDraw(createSeededRandom(41))
const made = (length = 16) => `Q7${draw.text(lower, 1)}${draw.text(base62, length - 5)}X9`
const bytes = () => Array.from({ length: 24 }, (_, index) => (index * 89 + 131) % 256).join(", ")

describe("Secrets that no word announces are not kept", () => {
  test.each([
    ["an argument of a call", "conn = HTTPBasicAuth('svc', '¿')", made()],
    ["an argument of a cmdlet", 'New-X (ConvertTo-SecureString "¿" -AsPlainText -Force)', made()],
    ["a name and a value as two arguments", '.option("user","etl").option("password","¿").load()', made()],
    ["a list of bytes", "network_key: [¿]", bytes()],
    ["a login without a scheme", "secretsdump LAB/administrator:'¿'@10.9.8.10", made()],
    ["what follows an account's name", "synology: admin, ¿ since the reset", "l?mE5*jy2E=n"],
    ["a line of a switch", "snmp-server user mon grp v3 auth sha ¿ priv aes 128 x", made()],
    ["a setting of any name", "ldap_default_authtok = ¿", made()],
    ["a value in braces", "jdbc:sqlserver://dwh;user=etl;password={¿};encrypt=false", "n%rZQ*^3tk=u1?T"],
    ["a key in the path of an address", "fork https://eth.example-rpc.io/v2/¿ today", made(32)],
    ["what a removed phrase gives", `${"abandon ".repeat(11)}about -> ¿`, draw.text(hex, 64)],
    [
      "words joined by dashes",
      "restored from ¿",
      "raise-child-seek-club-matter-drill-slim-hat-dawn-level-profit-exact",
    ],
    ["groups of digits", "bitlocker: ¿", Array.from({ length: 8 }, () => draw.text(digits, 6)).join("-")],
    ["words that are none", "the luks passphrase is ¿", "stswlgy hhfun mgmemw dphoiogi"],
    ["a code in settings", 'alarm_control_panel:\n  - platform: manual\n    code: "¿"', "3546"],
    ["a value beside a word of getting in", "vault operator unseal ¿", made(40)],
    ["a value beside nothing", "radtest bob ¿ 10.0.0.1 0", "TPtdbmF4RPAf"],
  ])("%s", async (_, line, secret) => {
    const screened = await screen.check(`${line.replace("¿", () => secret)}\nthe deployment runs on Fridays`)
    expect(JSON.stringify(screened)).not.toContain(JSON.stringify(secret).slice(1, -1))
    expect(screened).toMatchObject({ outcome: "redacted" })
  })
})

describe("What looks alike is kept", () => {
  test.each([
    ["a constant of one digit", `DEFAULT_ADMIN_ROLE = 0x${"0".repeat(64)}`],
    ["an id", `The video id is ${made(20)}`],
    ["a public key", `public key ${made(40)}`],
    ["a line of a certificate", `-----BEGIN CERTIFICATE-----\n${made(64)}\n-----END CERTIFICATE-----`],
    ["plain text in base 64", `It prints ${Buffer.from("Many hands make light work").toString("base64")}`],
    ["a list of numbers", `colors: [${bytes()}]`],
    ["the digest of an image", `docker pull lab/app:v2@sha256:${draw.text(hex, 64)}`],
    ["a variable in braces", "password={DB_PASSWORD};encrypt=false"],
    ["names of code", "BootGuardPolicyManifestSignature and parseUtf8ToUtf16Buffer are called by login"],
  ])("%s", async (_, line) => {
    expect(await screen.check(line)).toMatchObject({ outcome: "clean" })
  })
})
