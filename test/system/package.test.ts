import { execFileSync, spawnSync } from "node:child_process"
import { mkdirSync, readFileSync, renameSync, symlinkSync } from "node:fs"
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
    const { modules } = installed()
    const publint = spawnSync(
      bin("publint"),
      ["run", join(modules, "reverie"), "--pack", "false", "--strict"],
      {
        encoding: "utf8",
      },
    )
    expect(publint).toMatchObject({ status: 0 })
    // What it looks at is code and types: to unpack the models once more takes longer than all it does.
    const code = join(folder, "code.tgz")
    const kept = ["--exclude=*.wasm", "--exclude=reverie/assets", "--transform=s,^reverie,package,"]
    execFileSync("tar", ["-czf", code, "-C", modules, ...kept, "reverie"])
    const attw = spawnSync(bin("attw"), [code, "--profile", "esm-only", "--format", "ascii"], {
      encoding: "utf8",
    })
    expect(`${attw.status} ${attw.stdout}`).toMatch(/^0 /)
  })

  let once: ReturnType<typeof install> | undefined
  const installed = () => (once ??= install())

  /** The tarball unpacked among what it must have, which is not what is optional; and what its program says there. */
  function install() {
    const modules = join(folder, "installed/node_modules")
    mkdirSync(join(modules, "@photostructure"), { recursive: true })
    execFileSync("tar", ["-xzf", join(folder, packed.filename), "-C", modules])
    renameSync(join(modules, "package"), join(modules, "reverie"))
    const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
    for (const one of Object.keys(dependencies))
      symlinkSync(join(root, "node_modules", one), join(modules, one))
    const env = { ...process.env, REVERIE_HOME: join(folder, "installed/home"), REVERIE_DATABASE_URL: "" }
    const run = (...args: string[]) =>
      spawnSync(process.execPath, [join(modules, "reverie/dist/main.js"), ...args], { env, encoding: "utf8" })
    const version = run("--version")
    const added = run("add", "The port is 5433", "--global")
    const { checks }: { checks: Check[] } = JSON.parse(run("doctor", "--json").stdout)
    return { modules, run, version, added, checks }
  }

  test("runs from the tarball with nothing but what it declares", () => {
    const { version, added, checks } = installed()
    expect(version).toMatchObject({ status: 0 })
    expect(added).toMatchObject({ status: 0 })
    expect(checks.filter(({ ok, severity }) => !ok && severity === "error")).toEqual([])
  })

  describeWithModel("where the native ONNX Runtime was left out", () => {
    test("finds by meaning all the same, in WebAssembly, and doctor says so", () => {
      const { run, checks } = installed()
      const { results } = JSON.parse(run("search", "which number does it listen on?", "--json").stdout)
      expect(results).toMatchObject([{ content: "The port is 5433", via: ["meaning"] }])
      const { ok, message } = checks.find(({ id }) => id === "embedding") ?? {}
      expect({ ok, message }).toMatchObject({ ok: true, message: expect.stringContaining("in WebAssembly") })
    })
  })
})
