import { readFileSync } from "node:fs"
import { PassThrough } from "node:stream"
import { expect, test } from "vitest"
import { systemClock } from "../../../src/base/clock.ts"
import { systemRandom } from "../../../src/base/random.ts"
import { bytesText } from "../../../src/base/text/text.ts"
import type { Capabilities } from "../../../src/chat/channels/channel.ts"
import { openDiscord } from "../../../src/chat/channels/discord/open-discord.ts"
import { openIrc } from "../../../src/chat/channels/irc/open-irc.ts"
import { openTerminal } from "../../../src/chat/channels/terminal.ts"

const needs = { clock: systemClock, random: systemRandom }
const stream = new PassThrough()
const irc = {
  host: "irc.example.org",
  port: 6697,
  tls: true,
  tlsFingerprint: "",
  nick: "reverie",
  channels: [],
  account: "",
  password: "",
  secondsBetweenLines: 1,
}

test("docs/channels.md says what each platform can do", () => {
  const platforms: Record<string, Capabilities> = {
    discord: openDiscord(needs, { token: "", apiUrl: "", notifyReplied: false }).capabilities,
    irc: openIrc(needs, irc).capabilities,
    terminal: openTerminal(needs, { name: "a", speaker: "b", input: stream, output: stream }).capabilities,
  }
  const said = (key: keyof Capabilities, of: Capabilities) => {
    const value = of[key]
    if (typeof value === "boolean") return value ? "yes" : "no"
    if (key === "largestFile") return value === 0 ? "none" : bytesText(Number(value))
    return key === "longestText" ? `${value} ${of.lengthUnit}` : undefined
  }
  const keys = Object.keys(platforms.irc ?? {}) as (keyof Capabilities)[]
  const rows = keys
    .filter((key) => key !== "lengthUnit")
    .map((key) => `| ${[key, ...Object.values(platforms).map((of) => said(key, of))].join(" | ")} |`)
  const table = [`| | ${Object.keys(platforms).join(" | ")} |`, "|---|---|---|---|", ...rows].join("\n")
  expect(readFileSync("docs/channels.md", "utf8")).toContain(table)
})
