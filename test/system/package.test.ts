import { execFileSync, spawnSync } from "node:child_process"
import { mkdirSync, readFileSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { throwawayFolder } from "../../testkit/program/home.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const bin = (name: string) => join(root, "node_modules/.bin", name)

interface Packed {
  filename: string
  size: number
  unpackedSize: number
  files: { path: string }[]
}

describe("The package", () => {
  let folder = ""
  let packed: Packed

  beforeAll(() => {
    folder = throwawayFolder(afterAll)
    // Built already; only the notices are made anew.
    execFileSync(process.execPath, ["scripts/third-party-notices.ts"], { cwd: root })
    const words = ["pack", "--ignore-scripts", "--json", "--pack-destination", folder]
    const said = JSON.parse(execFileSync("npm", words, { cwd: root, encoding: "utf8" }))
    packed = Array.isArray(said) ? said[0] : (Object.values(said)[0] as Packed)
  })

  test("is small, and holds the program, its types and the notices, but no sources", () => {
    const paths = packed.files.map(({ path }) => path)
    expect(packed.size).toBeLessThan(18_000_000)
    for (const path of ["dist/main.js", "dist/library.d.ts", "LICENSE", "THIRD-PARTY-NOTICES.md"])
      expect(paths).toContain(path)
    expect(paths.filter((path) => /^(?:src|test|bench|testkit)\//.test(path))).toEqual([])
    const notices = readFileSync(join(root, "THIRD-PARTY-NOTICES.md"), "utf8")
    for (const name of ["zod", "hono", "discord.js", "react", "ink"]) expect(notices).toContain(`## ${name} `)
  })

  test("is clean for publint and for are-the-types-wrong", () => {
    const file = join(folder, packed.filename)
    const publint = spawnSync(bin("publint"), ["run", file, "--strict"], { encoding: "utf8" })
    expect(publint).toMatchObject({ status: 0 })
    const attw = spawnSync(bin("attw"), [file, "--profile", "esm-only", "--format", "ascii"], {
      encoding: "utf8",
    })
    expect(`${attw.status} ${attw.stdout}`).toMatch(/^0 /)
  })

  test("runs from the tarball with nothing but what it declares", () => {
    const modules = join(folder, "installed/node_modules")
    mkdirSync(join(modules, "@photostructure"), { recursive: true })
    execFileSync("tar", ["-xzf", join(folder, packed.filename), "-C", modules])
    execFileSync("mv", [join(modules, "package"), join(modules, "reverie")])
    const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
    for (const name of Object.keys(dependencies))
      symlinkSync(join(root, "node_modules", name), join(modules, name))
    const env = { ...process.env, REVERIE_HOME: join(folder, "home"), REVERIE_DATABASE_URL: "" }
    const run = (...args: string[]) =>
      spawnSync(process.execPath, [join(modules, "reverie/dist/main.js"), ...args], { env, encoding: "utf8" })
    expect(run("--version")).toMatchObject({ status: 0 })
    expect(run("add", "The port is 5433", "--global")).toMatchObject({ status: 0 })
    const { checks } = JSON.parse(run("doctor", "--json").stdout)
    expect(
      checks.filter(({ ok, severity }: { ok: boolean; severity: string }) => !ok && severity === "error"),
    ).toEqual([])
  })
})
