import { execFileSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { setConfigValue } from "../../src/config/edit.ts"
import { loadProjectConfig, readConfig } from "../../src/config/load.ts"
import { type Config, configSchema } from "../../src/config/schema.ts"
import { openScreen } from "../../src/privacy/screen.ts"
import { createManualClock } from "../../testkit/manual-clock.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"

const secret = `${"Zx9"}!${"kqPl"}77`
const withSecret = `The staging password is ${secret} and the VPN is required.`
const address = ["jane.doe", "acme.dev"].join("@")
const withAddress = `Ask ${address} before the billing service is restarted.`

function screenWith(privacy: Partial<Config["privacy"]> = {}) {
  return openScreen({ clock: createManualClock() }, configSchema.parse({ privacy }).privacy)
}

describe("privacy.secrets", () => {
  test("decides whether the rest of the text is kept", async () => {
    expect(await screenWith().check(withSecret)).toMatchObject({
      outcome: "redacted",
      text: "The staging password is [password removed] and the VPN is required.",
    })
    expect(await screenWith({ secrets: "refuse" }).check(withSecret)).toMatchObject({
      outcome: "refused",
      reason: "it contains a password, and privacy.secrets is set to refuse",
    })
    expect(await screenWith({ secrets: "refuse" }).check(withAddress)).toMatchObject({ outcome: "redacted" })
  })

  test("cannot be set to keep them", () => {
    expect(configSchema.safeParse({ privacy: { secrets: "keep" } }).success).toBe(false)
  })

  test("does not keep a refused text out of the log: there the secret alone is removed", () => {
    expect(screenWith({ secrets: "refuse" }).redactSync(withSecret)).toBe(
      "The staging password is [password removed] and the VPN is required.",
    )
  })
})

describe("privacy.personal_data", () => {
  test("decides whether personal data is removed, kept, or keeps the text out", async () => {
    const redacted = "Ask [email removed] before the billing service is restarted."
    expect(await screenWith().check(withAddress)).toMatchObject({ outcome: "redacted", text: redacted })
    expect(await screenWith({ personal_data: "keep" }).check(withAddress)).toEqual({
      outcome: "clean",
      text: withAddress,
    })
    expect(await screenWith({ personal_data: "refuse" }).check(withAddress)).toMatchObject({
      outcome: "refused",
      reason: "it contains an e-mail address, and privacy.personal_data is set to refuse",
    })
    expect(screenWith().redactSync(withAddress)).toBe(redacted)
    expect(screenWith({ personal_data: "keep" }).redactSync(withAddress)).toBe(withAddress)
  })

  test("says nothing about secrets", async () => {
    expect(await screenWith({ personal_data: "keep" }).check(withSecret)).toMatchObject({
      outcome: "redacted",
    })
  })

  test("leaves the user's own address, as git knows it, alone", async () => {
    const root = throwawayFolder()
    execFileSync("git", ["init", "-q", root])
    execFileSync("git", ["-C", root, "config", "user.email", address.toUpperCase()])
    const screen = screenWith()
    expect(await screen.check(withAddress, { projectRoot: root })).toEqual({
      outcome: "clean",
      text: withAddress,
    })
    expect(await screen.check(`${withAddress} Or x${address}.`, { projectRoot: root })).toMatchObject({
      text: `${withAddress} Or [email removed].`,
    })
  })

  test("leaves it alone in what leaves at once, such as an export, when it has learned it", async () => {
    const root = throwawayFolder()
    execFileSync("git", ["init", "-q", root])
    execFileSync("git", ["-C", root, "config", "user.email", address])
    const screen = screenWith()
    expect(screen.redactSync(withAddress)).not.toContain(address)
    await screen.learnProjects([root])
    expect(screen.redactSync(withAddress)).toBe(withAddress)
  })
})

describe("privacy.allow", () => {
  test("keeps plain texts, also around what was found, and only them", async () => {
    expect(await screenWith({ allow: [address] }).check(withAddress)).toMatchObject({ outcome: "clean" })
    expect(await screenWith({ allow: [`Ask ${address}`] }).check(withAddress)).toMatchObject({
      outcome: "clean",
    })
    expect(await screenWith({ allow: [`Tell ${address}`] }).check(withAddress)).toMatchObject({
      outcome: "redacted",
    })
    expect(await screenWith({ allow: ["acme.dev"] }).check(withAddress)).toMatchObject({
      outcome: "redacted",
    })
    expect(await screenWith({ allow: [secret] }).check(withSecret)).toMatchObject({ outcome: "clean" })
    expect(screenWith({ allow: [secret] }).redactSync(withSecret)).toBe(withSecret)
  })

  test("keeps what a regular expression matches from beginning to end", async () => {
    expect(await screenWith({ allow: ["/.+@ACME\\.dev/i"] }).check(withAddress)).toMatchObject({
      outcome: "clean",
    })
    expect(await screenWith({ allow: ["/acme/"] }).check(withAddress)).toMatchObject({ outcome: "redacted" })
  })

  test("holds for the second opinion too", async () => {
    const token = `gl${"pat-"}${"aB3dE5gH7jK9mN1pQ3rS"}`
    const text = `The bot of the release channel is number 7${token} in the list.`
    expect(await screenWith().check(text)).toMatchObject({ outcome: "redacted" })
    expect(await screenWith({ allow: [token] }).check(text)).toMatchObject({ outcome: "clean" })
  })

  test("refuses what is no regular expression, and can be set from the command line", () => {
    expect(configSchema.safeParse({ privacy: { allow: ["/(/"] } }).success).toBe(false)
    const file = join(throwawayFolder(), "config.toml")
    expect(setConfigValue(file, "privacy.allow", '["a", "/b+/"]')).toEqual(["a", "/b+/"])
    expect(readConfig(file).config.privacy.allow).toEqual(["a", "/b+/"])
    expect(() => setConfigValue(file, "privacy.allow", "[a")).toThrow(/privacy.allow must be a list/)
  })
})

describe("A project", () => {
  const project = (text: string, global = configSchema.parse({})) => {
    const root = throwawayFolder()
    mkdirSync(join(root, ".reverie"))
    writeFileSync(join(root, ".reverie/config.toml"), text)
    return loadProjectConfig(global, root)
  }

  test("may be stricter, and its policy is the one that holds", async () => {
    const { privacy } = await project('[privacy]\nsecrets = "refuse"\npersonal_data = "refuse"\n')
    const screen = screenWith()
    expect(await screen.check(withSecret, { policy: privacy })).toMatchObject({ outcome: "refused" })
    expect(await screen.check(withAddress, { policy: privacy })).toMatchObject({ outcome: "refused" })
  })

  test("may not be looser, nor declare anything harmless", async () => {
    const strict = configSchema.parse({ privacy: { secrets: "refuse", personal_data: "redact" } })
    await expect(project('[privacy]\nsecrets = "redact"\n', strict)).rejects.toThrow(
      /set it to refuse or remove it/,
    )
    await expect(project('[privacy]\npersonal_data = "keep"\n', strict)).rejects.toThrow(
      /line 2: privacy.personal_data may only be tightened.*redact or refuse/,
    )
    await expect(project('[privacy]\nallow = ["x"]\n')).rejects.toThrow(
      /privacy.allow cannot be set by a project/,
    )
  })
})
