import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import type { Capabilities } from "../../../src/chat/channels/channel.ts"
import { discordCapabilities } from "../../../src/chat/channels/discord/open-discord.ts"
import { ircCapabilities } from "../../../src/chat/channels/irc/open-irc.ts"
import { terminalCapabilities } from "../../../src/chat/channels/terminal.ts"

test("docs/channels.md says what each platform can do", () => {
  const platforms: Record<string, Capabilities> = {
    discord: discordCapabilities,
    irc: ircCapabilities,
    terminal: terminalCapabilities,
  }
  const said = (key: keyof Capabilities, of: Capabilities) => {
    const value = of[key]
    if (typeof value === "boolean") return value ? "yes" : "no"
    return key === "longestText" ? `${value} ${of.lengthUnit}` : undefined
  }
  const keys = Object.keys(discordCapabilities) as (keyof Capabilities)[]
  const rows = keys
    .filter((key) => key !== "lengthUnit")
    .map((key) => `| ${[key, ...Object.values(platforms).map((of) => said(key, of))].join(" | ")} |`)
  const table = [`| | ${Object.keys(platforms).join(" | ")} |`, "|---|---|---|---|", ...rows].join("\n")
  expect(readFileSync("docs/channels.md", "utf8")).toContain(table)
})
