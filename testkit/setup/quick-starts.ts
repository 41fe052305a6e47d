import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const source = fileURLToPath(new URL("./quick-start.c", import.meta.url))
const cache = fileURLToPath(new URL("../../node_modules/.cache/quick-start", import.meta.url))

/**
 * Variables that have a test process start programs in half the time; see quick-start.c. None where there is no C
 * compiler or another kind of machine: then the same tests take a little longer.
 */
export function quickStarts(): { LD_PRELOAD?: string } {
  if (process.platform !== "linux" || process.arch !== "x64") return {}
  const library = join(cache, `${createHash("sha256").update(readFileSync(source)).digest("hex")}.so`)
  // The list is divided by spaces and colons.
  if (/[\s:]/.test(library)) return {}
  return existsSync(library) || compile(library) ? { LD_PRELOAD: library } : {}
}

function compile(library: string): boolean {
  mkdirSync(cache, { recursive: true })
  // Whole at once: two runs may begin at the same time.
  const unfinished = `${library}.${process.pid}`
  const { status } = spawnSync("cc", ["-O2", "-shared", "-fPIC", "-o", unfinished, source, "-ldl"], {
    stdio: "ignore",
  })
  if (status === 0) renameSync(unfinished, library)
  return status === 0
}
