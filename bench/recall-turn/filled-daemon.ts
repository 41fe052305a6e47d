import { spawn } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { type Client, createClient } from "../../src/api/client.ts"
import { socketFetch } from "../../src/api/socket-fetch.ts"
import { systemRandom } from "../../src/base/random.ts"
import { readEnvironment } from "../../src/config/environment.ts"
import { pathsFor } from "../../src/config/paths.ts"
import type { Embedder } from "../../src/embedding/embedder.ts"
import { importText } from "../../src/memory/transfer/import.ts"
import { embedMissing } from "../../src/memory/write/vectors.ts"
import { openDatabase } from "../../src/storage/open-database.ts"
import type { Embedders } from "../latency/embedders.ts"
import { by, needsOf } from "../latency/needs.ts"
import type { Bench } from "../shared/figures.ts"
import { createTalk } from "../shared/made-up-talk.ts"
import { temporaryFolder } from "../shared/stores.ts"

const program = fileURLToPath(new URL("../../bin/reverie", import.meta.url))
const pieceRows = 1000

/** A daemon over a store of its own. */
export interface FilledDaemon {
  client: Client
  stop(): Promise<void>
}

/** Fills a store with notes and, up to a size, with other memories, and starts the real daemon on it. */
export async function startFilledDaemon(
  bench: Bench,
  { real, madeUp }: Embedders,
  { notes, rows, project }: { notes: readonly string[]; rows: number; project: string },
): Promise<FilledDaemon> {
  const home = temporaryFolder(bench)
  // Nothing else works in the background while it is timed.
  writeFileSync(join(home, "config.toml"), "[ambient]\nenabled = false\n[sessions]\nenabled = false\n", {
    mode: 0o600,
  })
  const env = { ...process.env, REVERIE_HOME: home, REVERIE_DATABASE_URL: "" }
  const paths = pathsFor(readEnvironment(env))
  mkdirSync(dirname(paths.databaseFile), { recursive: true, mode: 0o700 })
  await fill(paths.databaseFile, notes, real, () => ({ project }))
  const talk = createTalk(rows)
  for (let filled = notes.length; filled < rows; filled += pieceRows) {
    const count = Math.min(pieceRows, rows - filled)
    const memories = Array.from({ length: count }, () => talk.memory())
    await fill(paths.databaseFile, memories, madeUp, (memory) => memory)
  }
  const child = spawn(program, ["start", "--foreground"], { env, stdio: ["ignore", "ignore", "pipe"] })
  bench.atEnd(() => void child.kill("SIGKILL"))
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))
  await new Promise<void>((resolve, reject) => {
    child.once("close", () => reject(new Error("the daemon ended")))
    child.stderr?.on("data", (chunk) => {
      if (String(chunk).includes("Ctrl-C")) resolve()
    })
  })
  return {
    client: createClient({ fetch: socketFetch(paths.socket), random: systemRandom, actor: "bench" }),
    async stop() {
      child.kill("SIGTERM")
      await ended
    },
  }
}

async function fill<Given>(
  file: string,
  memories: readonly Given[],
  embedder: Embedder,
  more: (given: Given) => object,
): Promise<void> {
  const needs = needsOf(await open(file), embedder)
  async function* lines(): AsyncGenerator<string> {
    for (const memory of memories)
      yield JSON.stringify(typeof memory === "string" ? { content: memory, ...more(memory) } : more(memory))
  }
  await importText(needs, lines(), by(), { verbatim: true })
  while ((await embedMissing({ db: needs.db, embedder, tokens: true }, pieceRows)) > 0);
  await needs.db.close()
}

function open(file: string) {
  const { clock, random, log } = needsOf(undefined as never, undefined)
  return openDatabase({ clock, random, log, url: "", file })
}
