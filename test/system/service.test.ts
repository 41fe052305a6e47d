import { spawnSync } from "node:child_process"
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { throwawayFolder } from "../../testkit/program/home.ts"
import { createPlainInstallation } from "../../testkit/program/program.ts"
import { expectSentence } from "../../testkit/sessions/told.ts"

/** A user on a machine whose systemctl notes what it is asked; `state/active` says that the service runs. */
function createUser(more: Record<string, string> = {}) {
  const user = throwawayFolder()
  const programs = join(user, "bin")
  const asked = join(user, "asked")
  mkdirSync(programs)
  const say = (name: string, script: string) => {
    writeFileSync(join(programs, name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(programs, name), 0o755)
  }
  const systemctl = (script = "") =>
    say(
      "systemctl",
      `echo "$*" >> '${asked}'\n${script}\ncase "$*" in *is-active*) test -e '${user}/active';; esac`,
    )
  systemctl()
  say("loginctl", "echo Linger=no")
  const env = { HOME: user, XDG_CONFIG_HOME: "", ...more }
  const installation = createPlainInstallation({ env, path: `${programs}:${process.env.PATH}` })
  return {
    ...installation,
    user,
    env,
    systemctl,
    asked: () => (existsSync(asked) ? readFileSync(asked, "utf8").trim().split("\n") : []),
    status: () => installation.json<{ state: string; file: string; active: boolean }>("service", "status"),
  }
}

/** The tags of an XML text that are not closed in their order, and signs that must not stand in it. */
function openTags(xml: string): string[] {
  const open: string[] = []
  const rest = xml.replaceAll(/<\?.*?\?>|<!DOCTYPE.*?>|<!--.*?-->/g, "")
  for (const [, close, name = "", single] of rest.matchAll(/<(\/?)(\w+)[^<>]*?(\/?)>/g)) {
    if (close === "/" && open.at(-1) === name) open.pop()
    else if (single !== "/") open.push(close + name)
  }
  return [...open, ...(rest.replaceAll(/<[^<>]*>|&\w+;/g, "").match(/[<>&]/g) ?? [])]
}

describe("The service", () => {
  test("is written, taken in, told about and removed again", async () => {
    const { run, spawn, status, asked, user, home } = createUser()
    expect(await status()).toMatchObject({ state: "not installed", active: false, manager: "systemd" })
    const installed = await spawn("service", "install")
    expect(installed).toMatchObject({ code: 0, stderr: expect.stringContaining("loginctl enable-linger") })
    const { file } = await status()
    expect(installed.stdout.trim()).toBe(file)
    expect(file.startsWith(join(user, ".config/systemd/user/reverie-"))).toBe(true)
    const unit = readFileSync(file, "utf8")
    expect(unit).toContain(`Environment="REVERIE_HOME=${home}"`)
    expect(unit).toMatch(/^ExecStart="\/.*\/bin\/reverie" "start" "--foreground" "--quiet"$/m)
    expect(unit).toMatch(/^Restart=on-failure$/m)
    expect(unit).toMatch(/^KillMode=control-group$/m)
    expect(unit.trim()).toBe((await run("service", "print")).stdout.trim())
    const name = file.slice(file.lastIndexOf("/") + 1)
    expect(asked()).toEqual(expect.arrayContaining(["--user daemon-reload", `--user enable --now ${name}`]))
    expect(await status()).toMatchObject({ state: "installed" })
    expect((await run("service", "install", "--no-start")).code).toBe(0)
    expect(asked().at(-2)).not.toContain("--now")
    expect((await run("service", "uninstall")).code).toBe(0)
    expect(asked()).toContain(`--user disable --now ${name}`)
    expect(existsSync(file)).toBe(false)
    expect((await run("service", "uninstall")).stderr).toContain("No service is installed")
  })

  test("leaves a file alone that somebody wrote or edited", async () => {
    const { run, status } = createUser()
    await run("service", "install")
    const { file } = await status()
    appendFileSync(file, "# mine\n")
    expect(await status()).toMatchObject({ state: "edited" })
    expectSentence(
      await run("service", "install"),
      4,
      /is not overwritten, because it was edited; give --force/,
    )
    expectSentence(await run("service", "uninstall"), 4, /is not removed, because it was edited/)
    writeFileSync(file, "[Unit]\nDescription=mine\n")
    expectSentence(await run("service", "install"), 4, /because it is not Reverie's/)
    expect(readFileSync(file, "utf8")).toContain("mine")
    expect((await run("service", "install", "--force")).code).toBe(0)
    expect(await status()).toMatchObject({ state: "installed" })
  })

  test("is started anew by `restart` and by another install while it runs", async () => {
    const { run, asked, user } = createUser()
    await run("service", "install")
    writeFileSync(join(user, "active"), "")
    expect((await run("restart")).stderr).toContain("The service was restarted")
    expect(asked().filter((line) => / restart /.test(line))).toHaveLength(1)
    await run("service", "install")
    expect(asked().filter((line) => / restart /.test(line))).toHaveLength(2)
  })

  test("is not started beside a daemon that runs already", async () => {
    const { run, daemon, status } = createUser()
    await daemon()
    expectSentence(await run("service", "install"), 1, /The daemon already runs without a service/)
    expect(await status()).toMatchObject({ state: "not installed" })
    expect((await run("service", "install", "--no-start")).code).toBe(0)
  })

  test("is refused in one sentence without systemd, and printed all the same", async () => {
    const { run, systemctl, user } = createUser()
    systemctl("exit 1")
    expectSentence(
      await run("service", "install"),
      1,
      /No service was installed, because systemd does not run/,
    )
    expect(existsSync(join(user, ".config/systemd"))).toBe(false)
    expect((await run("service", "status")).code).toBe(0)
    expect((await run("service", "print")).stdout).toContain("[Service]")
  })

  test("is told in one sentence what systemd refuses", async () => {
    const { run, systemctl } = createUser()
    systemctl('case "$*" in *enable*) echo "Failed to enable" >&2; exit 1;; esac')
    expectSentence(
      await run("service", "install"),
      1,
      /`systemctl --user enable .*` failed: Failed to enable/,
    )
  })

  test("has a unit that systemd accepts, however odd the folder is called", async ({ skip }) => {
    const { run } = createUser({ REVERIE_MODELS: '/tmp/50% "off" $HOME \\ back' })
    const { stdout } = await run("service", "print")
    const folder = throwawayFolder()
    const file = join(folder, "reverie.service")
    writeFileSync(file, stdout)
    const { error, status, stderr } = spawnSync("systemd-analyze", ["--user", "verify", file], {
      encoding: "utf8",
      env: { ...process.env, XDG_RUNTIME_DIR: folder },
    })
    if (error) skip("there is no systemd-analyze here")
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" })
  })

  test("has a launchd agent that is well-formed and says the same", async () => {
    const { run, home } = createUser({ REVERIE_MODELS: "/tmp/a & <b>" })
    const { stdout } = await run("service", "print", "--for", "launchd")
    expect(openTags(stdout)).toEqual([])
    expect(stdout.match(/(?<=<string>).*(?=<\/string>$)/gm)).toEqual(
      expect.arrayContaining([expect.stringMatching(/\/bin\/reverie$/), "start", "--foreground", "--quiet"]),
    )
    expect(stdout).toContain(`<key>REVERIE_HOME</key><string>${home}</string>`)
    expect(stdout).toContain("<string>/tmp/a &amp; &lt;b&gt;</string>")
  })

  test("tells the daemon where the user's tools have their files", async () => {
    const { run } = createUser({ CLAUDE_CONFIG_DIR: "/srv/claude", CODEX_HOME: "/srv/codex", JCODE_HOME: "" })
    const { stdout } = await run("service", "print", "--for", "systemd")
    expect(stdout).toContain('Environment="CLAUDE_CONFIG_DIR=/srv/claude"')
    expect(stdout).toContain('Environment="CODEX_HOME=/srv/codex"')
    expect(stdout).not.toContain("JCODE_HOME")
  })

  test("runs a daemon that says nothing", async () => {
    const { start, run, json } = createUser()
    const child = start("start", "--foreground", "--quiet")
    let said = ""
    child.stderr?.on("data", (chunk) => {
      said += chunk
    })
    child.stdout?.on("data", (chunk) => {
      said += chunk
    })
    const { promise, resolve } = Promise.withResolvers<void>()
    child.on("close", () => resolve())
    const isRunning = async () => (await json<{ daemon: { running: boolean } }>("status")).daemon.running
    while (!(await isRunning())) expect(child.exitCode).toBeNull()
    await run("stop")
    await promise
    expect({ said, code: child.exitCode }).toEqual({ said: "", code: 0 })
  })
})
