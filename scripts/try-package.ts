// node scripts/try-package.ts: packs the program, installs the tarball from the npm registry into empty folders as a
// user would, where no compiler is found, and tries it there: on the newest Node 22 and on ours, with the native ONNX
// Runtime and without it. REVERIE_MODELS names the folder with the embedding model, so that none is fetched.
import { execFileSync, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const models = process.env.REVERIE_MODELS ?? join(root, "node_modules/.cache/models")
const work = mkdtempSync(join(tmpdir(), "reverie-package-"))

const installs = [
  { name: "all", words: [] },
  { name: "without the native runtime", words: ["--omit=optional"] },
]

/** A folder of programs as a machine without a compiler has them. */
function withoutCompiler(): string {
  const folder = join(work, "bin")
  mkdirSync(folder)
  const wanted = [
    "sh",
    "env",
    "bash",
    "git",
    "uname",
    "id",
    "ps",
    "bwrap",
    "true",
    "cat",
    "ls",
    "npm",
    "node",
  ]
  for (const name of wanted) {
    const found = (process.env.PATH ?? "")
      .split(delimiter)
      .map((place) => join(place, name))
      .find((file) => statSync(file, { throwIfNoEntry: false })?.isFile())
    if (found !== undefined) symlinkSync(found, join(folder, name))
  }
  return folder
}

function bytesOf(path: string): number {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`

function installInto(folder: string, ...words: string[]): void {
  mkdirSync(folder, { recursive: true })
  const all = ["install", "--prefix", folder, "--no-audit", "--no-fund", "--loglevel", "error", ...words]
  execFileSync("npm", all, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] })
}

/** What one installed program says on one Node; throws where it fails. */
function tryOut(folder: string, node: string, bin: string): string {
  const home = mkdtempSync(join(work, "home-"))
  const path = [dirname(node), bin].join(delimiter)
  const env = { PATH: path, HOME: home, REVERIE_HOME: join(home, "reverie"), REVERIE_MODELS: models }
  const run = (...words: string[]) => {
    const program = join(folder, "node_modules/reverie/dist/main.js")
    const { status, stdout, stderr } = spawnSync(node, [program, ...words], { env, encoding: "utf8" })
    if (status !== 0) throw new Error(`reverie ${words.join(" ")}: ${status} ${stdout}${stderr}`)
    return stdout
  }
  run("start")
  try {
    run("add", "The staging database listens on port 5433", "--global")
    const { results } = JSON.parse(run("search", "where does staging keep its data?", "--json"))
    if (results.length !== 1) throw new Error("search by meaning found nothing")
    const { checks } = JSON.parse(run("doctor", "--json"))
    const bad = checks.filter(({ ok }: { ok: boolean }) => !ok)
    if (bad.length > 0) throw new Error(`doctor: ${JSON.stringify(bad)}`)
    const ready = run("logs").match(/The embedder is ready.*/)?.[0] ?? ""
    const runtime = /native|wasm/.exec(ready)?.[0] ?? "no runtime"
    return `${runtime}, doctor green with ${checks.length} checks`
  } finally {
    run("stop")
  }
}

try {
  execFileSync("npm", ["pack", "--pack-destination", work], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
  })
  const tarball = readdirSync(work).find((name) => name.endsWith(".tgz")) ?? ""
  console.log(`tarball: ${megabytes(statSync(join(work, tarball)).size)}`)
  installInto(join(work, "node22"), "node@22")
  const nodes = [join(work, "node22/node_modules/node/bin/node"), process.execPath]
  const bin = withoutCompiler()
  for (const { name, words } of installs) {
    const folder = join(work, name)
    installInto(folder, "--ignore-scripts", ...words, join(work, tarball))
    console.log(`${name}: ${megabytes(bytesOf(join(folder, "node_modules")))} in node_modules`)
    for (const node of nodes) {
      const version = execFileSync(node, ["--version"], { encoding: "utf8" }).trim()
      console.log(`  Node ${version}: ${tryOut(folder, node, bin)}`)
    }
  }
} finally {
  rmSync(work, { recursive: true, force: true })
}
