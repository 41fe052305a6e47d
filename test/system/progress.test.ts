import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { describeWithModel } from "../../testkit/embedding.ts"
import { createPlainInstallation, type Installation } from "../../testkit/program/program.ts"

const program = fileURLToPath(new URL("../../bin/reverie", import.meta.url))

/** All that a command writes to a terminal of its own, also what is overwritten at once. */
function atTerminal({ home }: Installation, ...args: string[]): string {
  const env = { ...process.env, REVERIE_HOME: home, REVERIE_DATABASE_URL: "" }
  const command = [program, ...args].map((word) => `'${word}'`).join(" ")
  return spawnSync("script", ["-qec", command, "/dev/null"], { env, cwd: home, encoding: "utf8" }).stdout
}

const things = [
  "harbour",
  "lighthouse",
  "ferry",
  "cargo",
  "tide",
  "anchor",
  "pilot",
  "beacon",
  "quay",
  "buoy",
]

/** Statements that have little to do with each other. */
function manyTexts(count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const [one, other] = [things[index % 10], things[Math.floor(index / 10) % 10]]
    return `Rule ${index}: the ${one} of dock ${(index * 7919) % 99_991} waits for the ${other} ${index * 31}`
  })
}

describeWithModel("Progress", () => {
  test("memory embed and wake --wait tell on a terminal how far they are, and nothing elsewhere", async () => {
    const installation = createPlainInstallation()
    const { home, run, json, daemon } = installation
    const notes = join(home, "notes.jsonl")
    writeFileSync(
      notes,
      manyTexts(250)
        .map((content) => `${JSON.stringify({ content })}\n`)
        .join(""),
    )
    expect((await run("memory", "import", "notes.jsonl", "--verbatim")).code).toBe(0)
    await run("config", "set", "embedding.model", "all-MiniLM-L6-v2")
    expect((await run("memory", "embed")).stderr).toMatch(
      /250 memories have no vector yet\. The daemon computes them/,
    )
    const { process: running, ended } = await daemon()
    const embedding = atTerminal(installation, "memory", "embed")
    // A quick machine is through before there is a rate.
    expect(embedding).toMatch(
      /Embedding: █*░* *\d+ % [\d,]+ memories( · [\d,.]+ memories\/s · \d+ (s|min) left)?/,
    )
    expect(embedding).toMatch(
      /Every memory has a vector of all-MiniLM-L6-v2\/int8\. [\d,]+ memories got one just now\./,
    )
    const { stderr } = await run("memory", "embed")
    expect(stderr).not.toContain("Embedding:")
    expect(await json("memory", "embed")).toMatchObject({ outcome: "embedded", embedded: 0 })
    const tending = atTerminal(installation, "wake", "--wait")
    // A quick machine is through before there is a rate.
    expect(tending).toMatch(/A cycle is running …|Tending: █+░+ \d+ % \d+ steps/)
    expect((await run("wake", "--wait")).stderr).not.toContain("Tending:")
    running.kill("SIGTERM")
    await ended
  })
})
