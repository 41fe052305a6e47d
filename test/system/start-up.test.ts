import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { createPlainInstallation } from "../../testkit/program/program.ts"

const probe = new URL("../../testkit/program/load-probe.ts", import.meta.url).href

/** What a command loads, with a daemon running. */
async function loadedBy(...args: string[]): Promise<{ files: string[]; modules: string[] }> {
  const { home, daemonHere } = createPlainInstallation()
  const daemon = await daemonHere()
  const told = join(home, "loaded")
  const env = { NODE_OPTIONS: `--import "${probe}"`, REVERIE_LOADED_FILE: told }
  const { spawn } = createPlainInstallation({ home, env })
  expect((await spawn(...args)).code).toBe(0)
  await daemon.stop()
  const lines = readFileSync(told, "utf8").split("\n")
  return {
    files: lines.flatMap((line) => /\/dist\/([^/]+)$/.exec(line)?.[1] ?? []),
    modules: lines.flatMap((line) => /^NativeModule (.*)$/.exec(line)?.[1] ?? []),
  }
}

/** Modules of Node that take longer to load than all the rest of a quick command. */
const slow = [
  "http",
  "internal/deps/undici/undici",
  "child_process",
  "worker_threads",
  "internal/crypto/hash",
]

it("tells its version with next to nothing loaded", async () => {
  const { files, modules } = await loadedBy("--version")
  expect(files.length).toBeLessThanOrEqual(3)
  expect(modules.filter((one) => slow.includes(one))).toEqual([])
})

for (const args of [["status"], ["status", "--json"], ["search", "staging", "port"]]) {
  it(`${args.join(" ")} asks the daemon without loading the product`, async () => {
    const { files, modules } = await loadedBy(...args)
    expect(files.length).toBeLessThanOrEqual(5)
    expect(modules.filter((one) => slow.includes(one))).toEqual([])
  })
}
