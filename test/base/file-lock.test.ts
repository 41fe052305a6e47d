import { spawn } from "node:child_process"
import { once } from "node:events"
import { readdirSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { systemClock } from "../../src/base/clock.ts"
import { withFileLock } from "../../src/base/files/file-lock.ts"
import { processStartTime } from "../../src/base/processes.ts"
import { systemRandom } from "../../src/base/random.ts"
import { createManualClock } from "../../testkit/manual-clock.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"

const needs = { clock: systemClock, random: systemRandom }

/** A lock that somebody else seems to hold. */
function lockedBy(owner: { pid: number; host?: string; start?: string | null; at?: number }) {
  const folder = throwawayFolder()
  const file = join(folder, "thing.json")
  const lock = { id: "lock_another", host: hostname(), start: null, at: systemClock.now(), ...owner }
  writeFileSync(`${file}.lock`, JSON.stringify(lock))
  return { file, folder }
}

/** The number of a process that has ended. */
async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ["-e", ""])
  await once(child, "close")
  return child.pid ?? 0
}

describe("A lock on a file", () => {
  test("lets one piece of work run at a time, and leaves nothing behind", async () => {
    const folder = throwawayFolder()
    let inside = 0
    let most = 0
    const work = () =>
      withFileLock(needs, join(folder, "deep", "thing.json"), async () => {
        inside += 1
        most = Math.max(most, inside)
        await new Promise((resolve) => setImmediate(resolve))
        inside -= 1
      })
    await Promise.all(Array.from({ length: 8 }, work))
    expect(most).toBe(1)
    expect(readdirSync(join(folder, "deep"))).toEqual([])
  })

  test("is let go of when the work fails", async () => {
    const file = join(throwawayFolder(), "thing.json")
    const failing = withFileLock(needs, file, async () => {
      throw new Error("in the middle")
    })
    await expect(failing).rejects.toThrow("in the middle")
    expect(await withFileLock(needs, file, async () => "in")).toBe("in")
  })

  test("of a dead process is taken over, by many at once as well", async () => {
    const { file, folder } = lockedBy({ pid: await deadPid() })
    let inside = 0
    const work = () =>
      withFileLock(needs, file, async () => {
        inside += 1
        await new Promise((resolve) => setImmediate(resolve))
        expect(inside).toBe(1)
        inside -= 1
        return "in"
      })
    expect(new Set(await Promise.all([work(), work(), work()]))).toEqual(new Set(["in"]))
    expect(readdirSync(folder)).toEqual([])
  })

  test.runIf(process.platform === "linux")(
    "of a dead process whose number another one has now is taken over",
    async () => {
      const { file } = lockedBy({ pid: process.pid, start: "1" })
      expect(await withFileLock(needs, file, async () => "in")).toBe("in")
    },
  )

  test("that names nobody is taken over", async () => {
    const folder = throwawayFolder()
    writeFileSync(join(folder, "thing.json.lock"), "")
    expect(await withFileLock(needs, join(folder, "thing.json"), async () => "in")).toBe("in")
  })

  test("of somebody who lives is waited for, and given up on with a sentence", async () => {
    const clock = createManualClock()
    const owner = { pid: process.pid, start: processStartTime(process.pid) ?? null, at: clock.now() }
    const { file, folder } = lockedBy(owner)
    const waiting = withFileLock({ clock, random: systemRandom }, file, async () => "in")
    const refused = expect(waiting).rejects.toThrow(
      new RegExp(`^Another process \\(pid ${process.pid}\\) has held .* for too long; end it`),
    )
    await clock.advance(89_000)
    expect(readdirSync(folder)).toEqual(["thing.json.lock"])
    await clock.advance(2000)
    await refused
  })

  test("of another machine is taken over only when it is old", async () => {
    const clock = createManualClock()
    const { file } = lockedBy({ pid: 1, host: "elsewhere", at: clock.now() - 9 * 60_000 })
    const waiting = withFileLock({ clock, random: systemRandom }, file, async () => clock.now())
    const start = clock.now()
    await clock.advance(61_000)
    expect(await waiting).toBeGreaterThanOrEqual(start + 60_000)
  })
})
