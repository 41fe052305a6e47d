import { afterAll, beforeAll, expect, test } from "vitest"
import { elsewhere, lines } from "../../testkit/program/command-lines.ts"
import { createPlainInstallation, type Ended, type Installation } from "../../testkit/program/program.ts"

const ends: (() => void)[] = []
const onEnd = (work: () => void) => void ends.push(work)
let pair: { installation: Installation; id: string }[] = []

beforeAll(async () => {
  const both = [createPlainInstallation({ onEnd }), createPlainInstallation({ onEnd })]
  pair = await Promise.all(
    both.map(async (installation) => ({ installation, id: await firstMemory(installation) })),
  )
})

afterAll(() => {
  for (const end of ends) end()
})

/** Each command is a process once: its parts end in the same way. */
const asProcess = new Set(
  lines.filter((line, index) => lines.findIndex((other) => wordsOf(other)[0] === wordsOf(line)[0]) === index),
)

// In this order: each finds what those before it left.
test.for(lines.slice(1))(
  "the same in two homes, once as a process and in the process of a test: %s",
  async (line) => {
    const [one, inside] = await Promise.all(
      pair.map(async ({ installation, id }, index) => {
        const words = wordsOf(line).map((word) => (word === "ID" ? id : word))
        const run = index === 0 && asProcess.has(line) ? installation.spawn : installation.run
        return plain(await run(...words), installation, id)
      }),
    )
    expect(inside).toEqual(one)
    expect(inside?.stderr).not.toMatch(/^ +at /m)
  },
)

test("no command is left out of that", async () => {
  const { run } = createPlainInstallation()
  const offered = async (...words: string[]) =>
    (await run("__complete", "--", ...words, "")).stdout.trim().split("\n")
  const tried = lines.map(wordsOf)
  const first = new Set([...tried.map(([command]) => command), ...elsewhere])
  expect((await offered()).filter((command) => !first.has(command))).toEqual([])
  for (const group of ["memory", "queue", "cycles", "chat", "config", "snapshot"]) {
    const second = new Set(tried.filter(([command]) => command === group).map(([, part]) => part))
    expect((await offered(group)).filter((part) => !second.has(part) && part !== "help")).toEqual([])
  }
})

function wordsOf(line: string): string[] {
  return line.split(" ")
}

async function firstMemory({ run }: Installation): Promise<string> {
  const { stdout } = await run(...wordsOf(lines[0] ?? ""))
  return stdout.trim()
}

/** What differs between any two runs goes: names drawn by lot, folders, sizes, moments. */
function plain({ code, stdout, stderr }: Ended, { home }: Installation, id: string) {
  const clean = (text: string) =>
    text
      .replaceAll(home, "HOME")
      .replaceAll(id, "ID")
      .replaceAll(id.slice(-8), "ID")
      .replaceAll(id.slice(-6), "ID")
      .replaceAll(/\b(?:m|op|q|cycle|install)_[0-9a-z]{6,}/g, "NAME")
      // A short id may have no digit: then only where it stands tells it from a word.
      .replaceAll(/(?<= (?:cli|daemon) +)[0-9a-z]{8}(?= |$)/gm, "NAME")
      .replaceAll(/^[0-9a-z]{6,8}(?= {2})|\b(?=[a-z]*\d)[0-9a-z]{8}\b/gm, "NAME")
      .replaceAll(/\b\d{8}T\d+Z|Seal: \w+/g, "TIME")
      .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d[:-]?\d\d[:-]?\d\d(?:[.-]?\d+)?Z?/g, "TIME")
      .replaceAll(/\b\d\d:\d\d(?::\d\d)?\b/g, "TIME")
      .replaceAll(/\b\d+(?:\.\d+)? (?:ms|s|min|kB|KB|MB|GB|bytes)\b/g, "SIZE")
      .replaceAll(/\d+\.\d+/g, "NUMBER")
  return { code, stdout: clean(stdout), stderr: clean(stderr) }
}
