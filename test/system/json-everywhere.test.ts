import { Command } from "commander"
import { afterAll, beforeAll, expect, test } from "vitest"
import { commandGroups } from "../../src/surfaces/cli/command-table.ts"
import type { CliNeeds } from "../../src/surfaces/cli/needs.ts"
import { lines } from "../../testkit/program/command-lines.ts"
import { createPlainInstallation, type Installation } from "../../testkit/program/program.ts"

/** Commands with --json that only live as a process of their own, with how to ask them. */
const more = ["start", "restart", "stop", "service status", "inbox list"]

/** Commands whose --json is a line for each thing, so that nothing is an answer too. */
const streams = new Set(["logs", "journal", "chat terminal"])

const ends: (() => void)[] = []
let installation: Installation
let id = ""

beforeAll(async () => {
  installation = createPlainInstallation({ onEnd: (work) => void ends.push(work) })
  id = (await installation.run("add", "The staging port is 5433", "--tag", "infra")).stdout.trim()
})
afterAll(async () => {
  await installation.run("stop")
  for (const end of ends) end()
})

/** Every command that has --json, by its words, read from the command table. */
async function commandsWithJson(): Promise<string[]> {
  const program = new Command("reverie")
  // Commands are only described here: nothing that they would need is asked for.
  const needs = {} as CliNeeds
  for (const group of Object.values(commandGroups))
    for (const load of Object.values(group)) (await load())(program, needs)
  const found = (command: Command, words: string[]): string[] => [
    ...(command.options.some(({ long }) => long === "--json") ? [words.join(" ")] : []),
    ...command.commands.flatMap((part) => found(part, [...words, part.name()])),
  ]
  return program.commands.flatMap((command) => found(command, [command.name()]))
}

/** The line that tries a command, if there is one. */
function lineFor(command: string): string | undefined {
  return [...lines, ...more].find((line) => line === command || line.startsWith(`${command} `))
}

test("there is a line for each command that has --json", async () => {
  expect((await commandsWithJson()).filter((command) => lineFor(command) === undefined)).toEqual([])
})

test("each command with --json says its schema version, whatever comes of it", async () => {
  const wrong: string[] = []
  for (const command of await commandsWithJson()) {
    const words = (lineFor(command) ?? "").split(" ").map((word) => (word === "ID" ? id : word))
    const { stdout } = await installation.run(...words, "--json")
    const isStream = streams.has(command)
    if (!(isStream ? stdout.trim().split("\n").filter(Boolean) : [stdout]).every(hasVersion))
      wrong.push(`${words.join(" ")}: ${stdout.slice(0, 80)}`)
  }
  expect(wrong).toEqual([])
})

test("each says it too when it is called wrongly", async () => {
  const wrong: string[] = []
  for (const command of await commandsWithJson()) {
    const { stdout, code } = await installation.run(...command.split(" "), "--no-such-option", "--json")
    if (!hasVersion(stdout) || code !== 2 || !JSON.parse(stdout).error?.message)
      wrong.push(`${command}: ${code} ${stdout.slice(0, 80)}`)
  }
  expect(wrong).toEqual([])
})

function hasVersion(text: string): boolean {
  try {
    return JSON.parse(text).schemaVersion === 1
  } catch {
    return false
  }
}
