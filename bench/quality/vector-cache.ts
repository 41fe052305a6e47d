import { createHash } from "node:crypto"
import { mkdirSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import type { Embedded, Embedder, EmbedOptions } from "../../src/embedding/embedder.ts"
import { wrapEmbedder } from "../../src/embedding/wrap-embedder.ts"
import { loadSqlite } from "../../src/storage/sqlite/binding.ts"

/** Where vectors are kept between runs: a folder that may be deleted at any time. */
export function cacheFile(env: NodeJS.ProcessEnv = process.env): string {
  const caches = env.XDG_CACHE_HOME ? env.XDG_CACHE_HOME : join(homedir(), ".cache")
  return join(caches, "reverie-bench", "vectors.db")
}

const textsAtOnce = 64

/** The same embedder, but what it embedded in an earlier run is read from a file. Closing it closes both. */
export async function cacheEmbedder(
  embedder: Embedder,
  file: string,
  onProgress: (embedded: number, before: number) => void = () => {},
): Promise<Embedder> {
  const table = await openTable(file)
  let embedded = 0
  async function embedNew(texts: readonly string[], options: EmbedOptions): Promise<Embedded[]> {
    const vectors = await embedder.embed(texts, options)
    table.put(
      texts.map((text) => keyOf(embedder.model, text)),
      vectors,
    )
    embedded += texts.length
    onProgress(embedded, embedded - texts.length)
    return vectors
  }
  async function embedSome(texts: readonly string[], options: EmbedOptions): Promise<Embedded[]> {
    const pieces = options.tokens === true ? embedder.tokenDimensions : undefined
    const known = texts.map((text) => table.get(keyOf(embedder.model, text), pieces))
    const missing = texts.filter((_, index) => known[index] === undefined)
    const made = missing.length === 0 ? [] : await embedNew(missing, options)
    let next = 0
    return known.map((one) => {
      const found = one ?? made[next++]
      if (found === undefined) throw new Error("the embedder returned fewer vectors than it got texts")
      return found
    })
  }
  return wrapEmbedder(embedder, {
    async embed(texts, options = {}) {
      const all: Embedded[] = []
      for (let from = 0; from < texts.length; from += textsAtOnce) {
        all.push(...(await embedSome(texts.slice(from, from + textsAtOnce), options)))
      }
      return all
    },
    async close() {
      table.close()
      await embedder.close()
    },
  })
}

function keyOf(model: string, text: string): Uint8Array {
  return createHash("sha256").update(`${model}\n${text}`).digest()
}

async function openTable(file: string) {
  mkdirSync(dirname(file), { recursive: true })
  const db: DatabaseSync = new (await loadSqlite())(file)
  db.exec("pragma journal_mode = wal; pragma synchronous = off; pragma busy_timeout = 30000")
  db.exec(`create table if not exists vectors (key blob primary key, vector blob not null,
    dimensions integer, codes blob, starts blob, ends blob) without rowid`)
  const select = db.prepare("select * from vectors where key = ?")
  const insert = db.prepare("insert or replace into vectors values (?, ?, ?, ?, ?, ?)")
  return {
    /** A vector, with those of its word pieces if they are wanted in this length. */
    get(key: Uint8Array, pieces: number | undefined): Embedded | undefined {
      const row = select.get(key)
      if (row === undefined || (pieces !== undefined && row.dimensions !== pieces)) return undefined
      const vector = new Float32Array(bytesOf(row.vector))
      if (pieces === undefined) return { vector, tokens: undefined }
      const codes = new Int8Array(bytesOf(row.codes))
      const starts = new Uint32Array(bytesOf(row.starts))
      const ends = new Uint32Array(bytesOf(row.ends))
      return { vector, tokens: { codes, dimensions: Number(row.dimensions), starts, ends } }
    },
    put(keys: readonly Uint8Array[], vectors: readonly Embedded[]): void {
      db.exec("begin immediate")
      for (const [index, { vector, tokens }] of vectors.entries()) {
        const pieces = tokens
          ? [tokens.dimensions, rawOf(tokens.codes), rawOf(tokens.starts), rawOf(tokens.ends)]
          : [null, null, null, null]
        insert.run(keys[index] ?? null, rawOf(vector), ...pieces)
      }
      db.exec("commit")
    },
    close: () => db.close(),
  }
}

/** The bytes of a column, in a buffer of their own. */
function bytesOf(column: unknown): ArrayBuffer {
  if (!(column instanceof Uint8Array)) throw new Error("the cache of vectors is damaged; delete it")
  return new Uint8Array(column).buffer
}

function rawOf(numbers: Float32Array | Int8Array | Uint32Array): Uint8Array {
  return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength)
}
