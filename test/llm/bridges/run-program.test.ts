import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test, vi } from "vitest"
import { systemClock } from "../../../src/base/clock.ts"
import { isAlive } from "../../../src/base/processes.ts"
import { type ProgramRun, runProgram } from "../../../src/llm/bridges/run-program.ts"
import { createManualClock } from "../../../testkit/manual-clock.ts"
import { throwawayFolder } from "../../../testkit/program/home.ts"

/** A run of a shell script, which finds its folder in $0. */
function shell(script: string, more: Partial<ProgramRun> = {}): ProgramRun & { folder: string } {
  const folder = throwawayFolder()
  return {
    folder,
    command: "/bin/sh",
    args: ["-c", script, folder],
    env: { PATH: process.env.PATH ?? "" },
    cwd: folder,
    input: "",
    signal: new AbortController().signal,
    ...more,
  }
}

const run = (what: ProgramRun) => runProgram({ clock: systemClock }, what)

/** The number a script wrote into a file of its folder, as soon as it is there. */
async function written(folder: string, name: string): Promise<number> {
  const file = join(folder, name)
  await vi.waitFor(() => expect(existsSync(file) && readFileSync(file, "utf8")).toMatch(/\d\n/), 20_000)
  return Number(readFileSync(file, "utf8"))
}

const gone = (pid: number) => vi.waitFor(() => expect(isAlive(pid)).toBe(false), 20_000)

describe("A program of the user's", () => {
  test("reads its input, says its words and ends with its code", async () => {
    const ended = await run(shell("cat; echo no >&2; exit 3", { input: "ä line\n" }))
    expect(ended).toEqual({ outcome: "ended", code: 3, killedBy: null, stdout: "ä line\n", stderr: "no\n" })
  })

  test("sees only the environment it is given", async () => {
    const ended = await run(shell("env", { env: { PATH: "/usr/bin:/bin", GIVEN: "yes" } }))
    expect(ended).toMatchObject({ stdout: expect.stringContaining("GIVEN=yes") })
    expect(ended).not.toMatchObject({ stdout: expect.stringMatching(/^(VITEST|NODE|npm)/m) })
  })

  test("may leave its input unread", async () => {
    const ended = await run(shell("exit 0", { input: "x".repeat(4_000_000) }))
    expect(ended).toMatchObject({ outcome: "ended", code: 0 })
  })

  test("may be missing, or not be a program", async () => {
    expect(await run(shell("", { command: "/nowhere/claude" }))).toEqual({ outcome: "missing" })
    expect(await run(shell("", { command: throwawayFolder() }))).toEqual({ outcome: "missing" })
  })

  test("is stopped when it never stops talking", async () => {
    expect(await run(shell("yes"))).toEqual({ outcome: "too-much" })
  })

  test("tells by which signal it was ended", async () => {
    expect(await run(shell("kill -SEGV $$"))).toMatchObject({ outcome: "ended", killedBy: "SIGSEGV" })
  })

  test("ends with what it started, and keeps what it had said, when it is called off", async () => {
    const off = new AbortController()
    const script = 'echo said; sleep 600 & echo $! >"$0/child"; wait'
    const { folder, ...what } = shell(script, { signal: off.signal })
    const ended = run(what)
    const child = await written(folder, "child")
    off.abort()
    expect(await ended).toEqual({ outcome: "aborted", stdout: "said\n" })
    await gone(child)
  })

  test("is killed when it does not heed the call to end", async () => {
    const clock = createManualClock()
    const off = new AbortController()
    const script =
      'trap "echo heard >\\"$0/heard\\"" TERM; echo $$ >"$0/self"; while :; do sleep 600 & wait; done'
    const { folder, ...what } = shell(script, { signal: off.signal })
    const ended = runProgram({ clock }, what)
    const self = await written(folder, "self")
    off.abort()
    await vi.waitFor(() => expect(existsSync(join(folder, "heard"))).toBe(true), 20_000)
    expect(isAlive(self)).toBe(true)
    await clock.advance(10_000)
    expect(await ended).toMatchObject({ outcome: "aborted" })
    await gone(self)
    expect(clock.waiting).toBe(0)
  })

  test("leaves no process behind when it ends", async () => {
    const { folder, ...what } = shell('sleep 600 >/dev/null 2>&1 & echo $! >"$0/child"')
    expect(await run(what)).toMatchObject({ outcome: "ended", code: 0 })
    await gone(await written(folder, "child"))
  })

  test("does not outlive us, even when we are killed", async () => {
    const folder = throwawayFolder()
    const ours = join(mkdtempSync(join(folder, "ours-")), "ours.ts")
    const source = (name: string) => JSON.stringify(join(import.meta.dirname, "../../../src", name))
    writeFileSync(
      ours,
      `import { systemClock } from ${source("base/clock.ts")}
import { runProgram } from ${source("llm/bridges/run-program.ts")}
await runProgram({ clock: systemClock }, {
  command: "/bin/sh",
  args: ["-c", 'trap "" TERM HUP; echo $$ >"$0/child"; while :; do sleep 600; done', ${JSON.stringify(folder)}],
  env: { PATH: process.env.PATH ?? "" }, cwd: ${JSON.stringify(folder)}, input: "",
  signal: new AbortController().signal,
})
`,
    )
    const us = spawn(process.execPath, [ours], { stdio: "ignore" })
    const child = await written(folder, "child")
    us.kill("SIGKILL")
    await once(us, "exit")
    await gone(child)
  })
})
