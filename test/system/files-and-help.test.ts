import { fileURLToPath } from "node:url"
import { describe, expect, test } from "vitest"
import { createPlainInstallation } from "../../testkit/program/program.ts"

describe("The configuration", () => {
  test("says of a setting what it does, which values it takes and what each means", async () => {
    const { run, json } = createPlainInstallation()
    const { code, stdout } = await run("config", "explain", "models.provider")
    expect(code).toBe(0)
    for (const way of [
      "auto",
      "chatgpt",
      "codex",
      "claude",
      "local",
      "openai",
      "anthropic",
      "openrouter",
      "none",
    ])
      expect(stdout).toMatch(new RegExp(`\\b${way}\\b.*`))
    expect(stdout).toContain('It is "auto"; the default is "auto".')
    expect(stdout).toContain("A project may set it to none for itself.")
    expect(await json("config", "explain", "sessions.keep_days")).toMatchObject({
      key: "sessions.keep_days",
      value: 90,
      project: "A project may lower it for itself.",
    })
    const wrong = await run("config", "explain", "models.provide")
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining("did you mean models.provider?") })
  })
})

describe("A process that may open few files", () => {
  test("is told so in words, by whichever part of the program meets it first", async () => {
    const { home, run } = createPlainInstallation()
    expect((await run("memory", "add", "The sky is blue")).code).toBe(0)
    const told: number[] = []
    for (let most = 18; most <= 40; most += 2) {
      const limited = createPlainInstallation({
        home,
        command: [
          "/bin/sh",
          "-c",
          `ulimit -n ${most}; exec "$0" "$@"`,
          fileURLToPath(new URL("../../bin/reverie", import.meta.url)),
        ],
      })
      const { code, stdout, stderr } = await limited.run("memory", "list")
      // With fewer than some 22 Node itself does not start, and nothing of ours is asked.
      if (code === 0 || !stderr.includes("reverie:")) continue
      expect(stderr).toMatch(/^(Warning: .*\n)?reverie: Too many files are open at once; .*ulimit -n.*\n$/)
      expect(stdout).toBe("")
      told.push(most)
    }
    expect(told.length).toBeGreaterThan(0)
  })
})
