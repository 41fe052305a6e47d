import { spawn } from "node:child_process"
import { readdirSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { describe, expect, test } from "vitest"
import { systemClock } from "../../../src/base/clock.ts"
import { systemRandom } from "../../../src/base/random.ts"
import { readCredentials } from "../../../src/llm/signin/credentials.ts"
import { findKey, problemWithKey, removeKey, saveKey } from "../../../src/llm/signin/keys.ts"
import { throwawayFolder } from "../../../testkit/program/home.ts"
import { createSeededRandom } from "../../../testkit/seeded-random.ts"

const writer = fileURLToPath(new URL("../../../testkit/hostile/key-writer.ts", import.meta.url))
const tail = "x".repeat(40)

function needsOf() {
  const credentialsFile = join(throwawayFolder(), "data", "credentials.json")
  return { clock: systemClock, random: systemRandom, credentialsFile }
}

describe("Keys", () => {
  test("are told apart by their form, without being quoted", () => {
    const right = [
      ["openai", `sk-proj-${tail}`],
      ["openai", `sk-${tail}`],
      ["anthropic", `sk-ant-api03-${tail}`],
      ["openrouter", `sk-or-v1-${tail}`],
    ] as const
    for (const [account, key] of right) expect(problemWithKey(account, key)).toBeUndefined()
    const wrong = [
      ["openai", `sk-ant-api03-${tail}`, /^That is a key of Anthropic; run `reverie login anthropic`/],
      ["openai", `sk-or-v1-${tail}`, /^That is a key of OpenRouter/],
      ["anthropic", `sk-ant-oat01-${tail}`, /a token of a Claude sign-in/],
      ["anthropic", `sk-proj-${tail}`, /^That is a key of OpenAI/],
      ["openrouter", `${tail} and more`, /begin with sk-or-/],
      ["openai", "sk-short", /begin with sk- and are longer/],
      ["openai", `sk-${tail}\nsk-${tail}`, /begin with sk-/],
      ["openai", "", /^The key is empty/],
    ] as const
    for (const [account, key, sentence] of wrong) {
      expect(problemWithKey(account, key)).toMatch(sentence)
      if (key !== "") expect(problemWithKey(account, key)).not.toContain(key)
    }
  })

  test("are found in the environment first, then in the file", async () => {
    const needs = needsOf()
    const env = (given: Record<string, string>) => ({ variable: (name: string) => given[name] })
    const find = (given: Record<string, string>) => findKey(env(given), needs.credentialsFile, "anthropic")
    expect(find({})).toBeUndefined()
    await saveKey(needs, "anthropic", "saved")
    expect(find({ OPENAI_API_KEY: "another" })).toBe("saved")
    expect(find({ ANTHROPIC_API_KEY: "given" })).toBe("given")
    expect(await removeKey(needs, "anthropic")).toBe(true)
    expect(await removeKey(needs, "anthropic")).toBe(false)
    expect(find({})).toBeUndefined()
  })

  test("saved at the same time are all kept", async () => {
    const needs = needsOf()
    await Promise.all((["openai", "anthropic", "openrouter"] as const).map((id) => saveKey(needs, id, id)))
    const { keys } = readCredentials(needs.credentialsFile)
    expect(keys).toMatchObject({
      openai: { key: "openai" },
      anthropic: { key: "anthropic" },
      openrouter: { key: "openrouter" },
    })
  })
})

describe("A process killed while it writes", () => {
  test("leaves the file whole, whatever the moment, and in nobody's way", async () => {
    const needs = needsOf()
    const random = createSeededRandom(11)
    for (let kill = 0; kill < 12; kill += 1) {
      const saves = 1 + Math.floor(random.next() * 4)
      expect(await writeAndDie(needs.credentialsFile, saves)).toBe("SIGKILL")
      const key = readCredentials(needs.credentialsFile).keys.openai?.key ?? ""
      expect(key).toBe(key.charAt(0).repeat(500_000))
      expect(statSync(needs.credentialsFile).mode & 0o777).toBe(0o600)
    }
    writeFileSync(`${needs.credentialsFile}.4711.tmp`, "half of a token")
    await saveKey(needs, "openai", "after it all")
    expect(readdirSync(dirname(needs.credentialsFile)).filter((name) => name.endsWith(".tmp"))).toEqual([])
    expect(readCredentials(needs.credentialsFile).keys.openai?.key).toBe("after it all")
  })

  /** Lets a process save, and kills it once it has told of so many. Gives the signal it died of. */
  function writeAndDie(file: string, saves: number): Promise<string | null> {
    const child = spawn(process.execPath, [writer, file], { stdio: ["ignore", "pipe", "inherit"] })
    let told = 0
    createInterface({ input: child.stdout }).on("line", () => {
      told += 1
      if (told === saves) child.kill("SIGKILL")
    })
    return new Promise((resolve) => child.once("close", (_code, signal) => resolve(signal)))
  }
})
