import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { both, contents, expectSentence, withSnapshot } from "../../testkit/program/durable.ts"
import { throwawayFolder, withoutEmbedder } from "../../testkit/program/home.ts"
import { createPlainInstallation } from "../../testkit/program/program.ts"

/** Every file and folder below one, with what others may do with it. */
function openToOthers(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (name) => (lstatSync(join(folder, name)).mode & 0o077) !== 0,
  )
}

describe("Other users of the machine", () => {
  const loose = (home: string) => {
    const program = join(import.meta.dirname, "../../bin/reverie")
    const command = ["sh", "-c", 'umask 000; exec "$0" "$@"', program]
    withoutEmbedder(home)
    return createPlainInstallation({ home, command })
  }

  test("find nothing readable under umask 000: socket, token, database, snapshots, log, export, settings", async () => {
    const installation = loose(throwawayFolder())
    rmSync(installation.paths.configFile)
    await installation.run("init", "--yes")
    await installation.run("config", "set", "embedding.model", "none")
    await installation.daemon()
    await installation.run("memory", "add", "private")
    await installation.run("snapshot", "take")
    await installation.run("memory", "export", join(installation.home, "out.json"))
    await installation.run("memory", "export", join(installation.home, "out.md"), "--format", "markdown")
    expect(existsSync(installation.paths.logFile)).toBe(true)
    expect(openToOthers(installation.home)).toEqual([])
  })

  test("find nothing readable in a home that was open to all before", async () => {
    const home = throwawayFolder()
    chmodSync(home, 0o777)
    const installation = loose(home)
    await installation.run("memory", "add", "private")
    await installation.run("snapshot", "take")
    expect(openToOthers(home)).toEqual([])
  })

  test.each(["data", "state"])("put a %s folder that all may write to in our way", async (folder) => {
    const installation = createPlainInstallation()
    mkdirSync(join(installation.home, folder))
    chmodSync(join(installation.home, folder), 0o777)
    expectSentence(await installation.run("memory", "add", "x"), 1, /can be changed by other users/)
    expect(readdirSync(join(installation.home, folder))).toEqual([])
  })

  test("put a link in the socket's place: what it leads to is left alone", async () => {
    const installation = createPlainInstallation()
    const victim = join(throwawayFolder(), "victim")
    writeFileSync(victim, "mine")
    chmodSync(victim, 0o644)
    symlinkSync(victim, installation.paths.socket)
    await installation.daemon()
    expect(readFileSync(victim, "utf8")).toBe("mine")
    expect(statSync(victim).mode & 0o777).toBe(0o644)
    expect(lstatSync(installation.paths.socket).isSocket()).toBe(true)
  })

  test.each(["token", "log"])(
    "put a link in the place of the %s: nothing is written through it",
    async (what) => {
      const installation = createPlainInstallation()
      const { installFile, logFile } = installation.paths
      const victim = join(throwawayFolder(), "victim")
      mkdirSync(join(installation.home, "state"), { mode: 0o700 })
      symlinkSync(victim, what === "token" ? installFile : logFile)
      await installation.run("start")
      expect(existsSync(victim)).toBe(false)
      await installation.run("stop")
    },
  )

  test("put a link among the snapshots: it is neither listed nor put back", async () => {
    const { installation, name } = await withSnapshot()
    const planted = "reverie-20300101T000000000Z.db"
    symlinkSync("/etc/passwd", join(installation.paths.snapshotDir, planted))
    const { stdout } = await installation.run("snapshot", "list")
    expect(stdout).toContain(name)
    expect(stdout).not.toContain(planted)
    expectSentence(await installation.run("snapshot", "restore", planted), 1, /There is no snapshot/)
  })

  test.each(["../../../etc/passwd", "/etc/passwd", "..", "", "reverie-20300101T000000000Z.db/../x"])(
    "name a snapshot %j",
    async (name) => {
      const { installation } = await withSnapshot()
      expect(await installation.run("snapshot", "restore", name)).toMatchObject({
        code: name === "" ? 2 : 1,
        stdout: "",
      })
      expect(await contents(installation)).toEqual(both)
    },
  )
})
