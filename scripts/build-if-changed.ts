// node scripts/build-if-changed.ts: builds, unless dist is newer than everything it is made of. `npm ci` has built just
// before the first `npm start`, and nobody should wait for the same again.
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const sources = [
  "src",
  "web",
  "assets",
  "package.json",
  "package-lock.json",
  "tsdown.config.ts",
  "tsconfig.json",
]
/** What the two parts of the build write last. */
const outputs = ["dist/main.js", "dist/library.d.ts", "dist/web/index.html"]

/** When a file, or the newest file of a folder, was changed; folders too, so that a deletion is seen. */
function changedAt(path: string): number {
  const facts = statSync(path)
  if (!facts.isDirectory()) return facts.mtimeMs
  return Math.max(facts.mtimeMs, ...readdirSync(path).map((name) => changedAt(join(path, name))))
}

const built = outputs.map((file) => join(root, file))
const isBuilt = built.every((file) => existsSync(file))
const newest = Math.max(...sources.map((name) => changedAt(join(root, name))))
if (!isBuilt || Math.min(...built.map((file) => statSync(file).mtimeMs)) < newest) {
  const { status } = spawnSync("npm", ["run", "--silent", "build"], { cwd: root, stdio: "inherit" })
  process.exitCode = status ?? 1
}
