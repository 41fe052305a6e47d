import { execFileSync, spawnSync } from "node:child_process"
import { mkdirSync, readFileSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { describeWithModel } from "../../testkit/embedding.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const bin = (name: string) => join(root, "node_modules/.bin", name)

interface Packed {
  filename: string
  size: number
  unpackedSize: number
  files: { path: string }[]
}

interface Check {
  id: string
  ok: boolean
  severity: string
  message: string
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
    expect(packed.size).toBeLessThan(69_000_000)
    for (const path of ["dist/main.js", "dist/library.d.ts", "LICENSE", "THIRD-PARTY-NOTICES.md"])
      expect(paths).toContain(path)
    expect(paths.filter((path) => /^(?:src|test|bench|testkit)\//.test(path))).toEqual([])
    const notices = readFileSync(join(root, "THIRD-PARTY-NOTICES.md"), "utf8")
    for (const name of ["thenlper/gte-small", "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2"])
      expect(notices).toContain(name)
    for (const name of ["zod", "hono", "discord.js", "react", "ink", "onnxruntime-web"])
      expect(notices).toContain(`## ${name} `)
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

  /** The tarball unpacked among what it must have, which is not what is optional; and what runs its program. */
  function unpacked(name: string) {
    const modules = join(folder, name, "node_modules")
    mkdirSync(join(modules, "@photostructure"), { recursive: true })
    execFileSync("tar", ["-xzf", join(folder, packed.filename), "-C", modules])
    execFileSync("mv", [join(modules, "package"), join(modules, "reverie")])
    const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
    for (const one of Object.keys(dependencies))
      symlinkSync(join(root, "node_modules", one), join(modules, one))
    const env = { ...process.env, REVERIE_HOME: join(folder, name, "home"), REVERIE_DATABASE_URL: "" }
    return (...args: string[]) =>
      spawnSync(process.execPath, [join(modules, "reverie/dist/main.js"), ...args], { env, encoding: "utf8" })
  }

  test("runs from the tarball with nothing but what it declares", () => {
    const run = unpacked("installed")
    expect(run("--version")).toMatchObject({ status: 0 })
    expect(run("add", "The port is 5433", "--global")).toMatchObject({ status: 0 })
    const checks: Check[] = JSON.parse(run("doctor", "--json").stdout).checks
    expect(checks.filter(({ ok, severity }) => !ok && severity === "error")).toEqual([])
  })

  describeWithModel("where the native ONNX Runtime was left out", () => {
    test("finds by meaning all the same, in WebAssembly, and doctor says so", () => {
      const run = unpacked("slim")
      expect(run("add", "The port is 5433", "--global")).toMatchObject({ status: 0 })
      const { results } = JSON.parse(run("search", "which number does it listen on?", "--json").stdout)
      expect(results).toMatchObject([{ content: "The port is 5433", via: ["meaning"] }])
      const checks: Check[] = JSON.parse(run("doctor", "--json").stdout).checks
      const { ok, message } = checks.find(({ id }) => id === "embedding") ?? {}
      expect({ ok, message }).toMatchObject({ ok: true, message: expect.stringContaining("in WebAssembly") })
    })
  })
})
