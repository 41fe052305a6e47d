import { once } from "node:events"
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { isAlive } from "../../src/base/processes.ts"
import {
  createInstallation,
  createPlainInstallation,
  ending,
  programInHints,
  waitForEntry,
} from "../../testkit/program/program.ts"

describe("The daemon", () => {
  test("tells in the foreground how it stands and what to do next, and stops cleanly on Ctrl-C", async () => {
    const installation = createInstallation()
    const child = installation.start("start", "--foreground")
    const done = ending(child)
    await new Promise<void>((resolve) =>
      child.stderr?.on("data", (text) => String(text).includes("Ctrl-C") && resolve()),
    )
    child.kill("SIGINT")
    const { code, stdout, stderr } = await done
    expect(code).toBe(0)
    expect(stdout).toMatch(/Reverie .* running .*\n +memory +0 memories/)
    expect(stderr).toMatch(/reverie'? add/)
    expect(stderr).toMatch(/Stopped\./)
    expect(existsSync(installation.paths.socket)).toBe(false)
  })

  test("starts in the background, is there once, and stops", async () => {
    const { run, json } = createPlainInstallation()
    expect(await run("start")).toMatchObject({ code: 0 })
    const { daemon } = await json<{ daemon: { pid: number } }>("status")
    const again = await run("start")
    expect(again).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`already running (pid ${daemon.pid})`),
    })
    expect(await run("stop")).toMatchObject({ code: 0, stderr: "Stopped.\n" })
    expect(isAlive(daemon.pid)).toBe(false)
    const idle = await run("stop")
    expect(idle).toMatchObject({ code: 3, stderr: expect.stringContaining("not running") })
  })

  test("is replaced by restart", async () => {
    const { run, json } = createPlainInstallation()
    await run("start")
    const before = await json<{ daemon: { pid: number } }>("status")
    expect(await run("restart")).toMatchObject({ code: 0 })
    const after = await json<{ daemon: { pid: number } }>("status")
    expect(after.daemon.pid).not.toBe(before.daemon.pid)
    await run("stop")
  })

  test("a second one is refused in one sentence, and the first goes on", async () => {
    const installation = createPlainInstallation()
    const first = await installation.daemon()
    const second = await installation.run("start", "--foreground")
    expect(second.code).toBe(1)
    expect(second.stderr).toBe(
      `reverie: The daemon is already running (pid ${first.process.pid}); use it, or stop it with \`${programInHints} stop\`.\n`,
    )
    expect(await first.client.status()).toMatchObject({ daemon: { running: true } })
  })

  test("that was killed is replaced at once, its lease and its socket notwithstanding", async () => {
    const installation = createPlainInstallation()
    const first = await installation.daemon()
    first.process.kill("SIGKILL")
    await first.ended
    expect(existsSync(installation.paths.socket)).toBe(true)
    const { checks } = await installation.json<{ checks: { id: string; ok: boolean }[] }>("doctor")
    expect(checks.find((check) => check.id === "daemon")).toMatchObject({ ok: false, severity: "warning" })
    const second = await installation.daemon()
    expect(await second.client.status()).toMatchObject({ daemon: { pid: second.process.pid } })
    const log = (await installation.run("logs")).stdout
    expect(log).toContain("Replaced a daemon that had died")
  })

  test("does not take a socket that somebody else listens on", async () => {
    const installation = createPlainInstallation()
    const stranger = createServer()
    await new Promise<void>((resolve) => stranger.listen(installation.paths.socket, resolve))
    const { code, stderr } = await installation.run("start", "--foreground")
    stranger.close()
    expect(code).toBe(1)
    expect(stderr).toMatch(/does not answer|already answers/)
  })

  test("that hangs can be stopped by force", async () => {
    const installation = createPlainInstallation()
    const daemon = await installation.daemon()
    daemon.process.kill("SIGSTOP")
    const { code, stderr } = await installation.run("stop", "--force")
    expect(stderr).toContain("Killed")
    expect(code).toBe(0)
  })

  test("does not mind clients that go away in the middle, and keeps what they had sent", async () => {
    const installation = createPlainInstallation()
    const daemon = await installation.daemon()
    const importing = installation.start("memory", "import", "-", "--verbatim")
    const lines = Array.from({ length: 1000 }, (_, index) => `{"content":"number ${index}"}\n`)
    importing.stdin?.write(lines.join(""))
    await daemon.entry("memory.saved")
    importing.kill("SIGKILL")
    const following = installation.start("journal", "--follow")
    await new Promise((resolve) => following.stdout?.once("data", resolve))
    following.kill("SIGKILL")
    await installation.run("memory", "add", "still there")
    expect(await daemon.client.status()).toMatchObject({ daemon: { running: true } })
    expect((await daemon.client.search({ query: "number" })).results.length).toBeGreaterThan(0)
  })

  test("an import that was killed in the middle brings each line once when it is sent again", async () => {
    const installation = createPlainInstallation()
    const lines = Array.from({ length: 1000 }, (_, index) => `{"content":"number ${index}"}\n`)
    const importing = installation.start("memory", "import", "-", "--verbatim")
    importing.stdin?.write(lines.slice(0, 500).join(""))
    const saved = async () => {
      const { memories } = await installation.json<{ memories?: object[] }>("memory", "list", "--limit", "1")
      return (memories ?? []).length > 0
    }
    while (!(await saved())) expect(importing.exitCode).toBe(null)
    importing.kill("SIGKILL")
    await once(importing, "exit")
    writeFileSync(join(installation.home, "in.jsonl"), lines.join(""))
    const tally = await installation.json<Record<string, number>>(
      "memory",
      "import",
      "in.jsonl",
      "--verbatim",
    )
    expect(tally.unchanged).toBeGreaterThan(0)
    expect((tally.saved ?? 0) + (tally.unchanged ?? 0)).toBe(1000)
    const exported = await installation.run("memory", "export")
    expect(JSON.parse(exported.stdout).memories).toHaveLength(1000)
  })

  test("writes its log at the level it is told, and takes snapshots it can be restored from", async () => {
    const installation = createPlainInstallation()
    appendFileSync(join(installation.home, "config.toml"), '[log]\nlevel = "error"\n')
    await installation.run("memory", "add", "worth keeping")
    const daemon = await installation.daemon()
    await waitForEntry(daemon.client, "snapshot.taken")
    expect(
      existsSync(installation.paths.logFile) ? readFileSync(installation.paths.logFile, "utf8") : "",
    ).toBe("")
    await installation.run("memory", "add", "told after the snapshot")
    const { snapshots } = await installation.json<{ snapshots: { name: string }[] }>("snapshot", "list")
    expect(snapshots).toHaveLength(1)
    const name = snapshots[0]?.name ?? ""
    expect(await installation.run("snapshot", "restore", name)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`stop it with \`${programInHints} stop\``),
    })
    await installation.run("stop")
    expect(await installation.run("snapshot", "restore", name)).toMatchObject({ code: 0 })
    expect((await installation.run("memory", "list")).stdout).toMatch(/worth keeping/)
    expect((await installation.run("memory", "list")).stdout).not.toMatch(/told after/)
    expect((await installation.run("journal")).stdout).toMatch(/snapshot\.restored/)
  })
})
