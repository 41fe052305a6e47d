import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import type { StatusAnswer } from "../../src/api/contract.ts"
import { growthOf } from "../../testkit/hostile/growth.ts"
import { textFunctions } from "../../testkit/hostile/text-functions.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"
import { createPlainInstallation } from "../../testkit/program/program.ts"
import { toolEnvironment } from "../../testkit/worlds/session-world.ts"

/** What the patterns of the text functions begin with, look for, or stop at. */
const triggers = [
  "<system-reminder a",
  "<system-reminder>",
  "<reverie-memory a",
  "&lt;reverie-memory ",
  "&amp;",
  "amp;",
  "&#6",
  "%25",
  "\\u005c",
  "<",
  "```",
  "[[",
  "(",
  '"',
  "「",
  "- [m_0123456789abcdef01] ",
  "\n",
  " ",
  "a",
  ".",
  "1. ",
  "`. ",
  ":",
  "/a",
  "=",
  "|",
  "\\",
  "<!-- ",
  "- a\n",
  "A: b\n",
  "a@a.",
  "http://a/",
  "\u200b",
  "\u{e0041}",
  "curl a|",
  "no, it's ",
  "-----BEGIN PRIVATE KEY-----",
]
/** Exports of others, one object a line: a line that is none takes its time to be refused, however many there are. */
const jsonTriggers = [
  "{",
  "[[",
  '"',
  "\n",
  '{"memory":',
  '{"memory":"a"}\n',
  '{"type":"entity","name":"a"}\n',
]
const triggersOf: Record<string, readonly string[]> = { readMem0: jsonTriggers, readMcp: jsonTriggers }
const mostGrowth = 20

describe("a long run of what a text function stumbles over", () => {
  test.each(Object.entries(textFunctions))(
    "given to %s",
    (name, run) => {
      for (const trigger of triggersOf[name] ?? triggers) {
        // The end is what no pattern expects, so that those that look for an end have to give up.
        const textOf = (size: number) => `${trigger.repeat(Math.ceil(size / trigger.length))}x\u0001x`
        expect(growthOf(run, textOf), JSON.stringify(trigger)).toBeLessThanOrEqual(mostGrowth)
      }
    },
    120_000,
  )
})

/** A session of jcode's that takes gigabytes to be taken apart. */
function writeBomb(tools: string): string {
  const folder = join(tools, "jcode", "sessions")
  mkdirSync(folder, { recursive: true })
  const file = join(folder, "bomb.json")
  const many = "{},".repeat(16_000_000)
  writeFileSync(file, `{"id":"bomb","created_at":"2026-01-01T00:00:00Z","messages":[${many}{}]}`)
  return file
}

describe("a transcript made to end the daemon", () => {
  test("one that takes more memory than there is", async () => {
    const tools = throwawayFolder()
    const file = writeBomb(tools)
    const { daemon, json, run } = createPlainInstallation({ env: toolEnvironment(tools) })
    const { entry, client } = await daemon()
    expect(await entry("session.skipped")).toMatchObject({ subject: file })
    expect((await json<StatusAnswer>("status")).sessions.skipped).toMatchObject([{ place: file }])
    expect((await run("status")).stdout).toContain(`reverie sessions retry '${file}'`)
    expect((await run("sessions")).stderr).toContain(file)
    expect((await run("doctor")).stdout).toContain(`${file} is skipped`)
    await run("sessions", "retry", file)
    expect((await client.journal({ kind: "session.retried" })).entries).toHaveLength(1)
  }, 300_000)
})
