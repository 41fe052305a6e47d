import { UserError } from "../../base/errors.ts"
import { parseJson } from "../../base/text/json.ts"
import { appendEntry, type By } from "../../storage/journal.ts"
import { earlierResult } from "../../storage/operation.ts"
import { lineWithInferredType } from "../extract/infer-type.ts"
import type { importFormats } from "../model/kinds.ts"
import { importKeyOf } from "../model/store/import-keys.ts"
import { emptyTally, type ImportRun, type ImportSummary } from "../write/import-run.ts"
import { configFor, type MemoryWriteCore } from "../write/prepare.ts"
import { type ImportLine, rememberAll } from "../write/remember-all.ts"
import { recogniseFormat } from "./formats/format.ts"
import { importOtherTool } from "./import-other-tool.ts"
import { restoreExport } from "./restore-export.ts"

interface ImportOptions {
  verbatim: boolean
  /** The folder of the request; its project's configuration applies. */
  from?: string | undefined
  /** Detected from the first lines if not given. */
  format?: (typeof importFormats)[number]
  /** The project of another tool's memories. */
  project?: string | undefined
  /** The file's folder: notes in a project's folder belong to that project. */
  beside?: string | undefined
  onProgress?: (done: number) => void
}

/** Imports a JSON export, JSON Lines or another tool's file. Invalid lines are counted and reported, the others imported. */
export async function importText(
  needs: MemoryWriteCore,
  lines: AsyncIterable<string>,
  by: By,
  options: ImportOptions,
): Promise<ImportSummary> {
  const config = await configFor(needs, [options.from])
  if (!config.memory.enabled) {
    throw new UserError("refused", "Memory is switched off (memory.enabled in the configuration).")
  }
  const earlier = await earlierImport(needs, by)
  if (earlier) return earlier
  const started = needs.clock.now()
  const run: ImportRun = {
    needs: { ...needs, config },
    by,
    from: [options.from ?? [], options.project ?? [], options.beside ?? []].flat(),
    tally: emptyTally(),
    onProgress: options.onProgress ?? (() => {}),
  }
  const { head, all } = await peek(lines)
  const format = recogniseFormat(options.format ?? "auto", head)
  const write = (some: AsyncIterable<ImportLine>) =>
    rememberAll(run, withKinds(some), { verbatim: options.verbatim })
  if (format === "reverie") await restoreExport(run, all)
  else if (format === "jsonl") await write(incoming(all))
  else await importOtherTool(run, all, { ...options, format, write })
  run.tally.seconds = (needs.clock.now() - started) / 1000
  await needs.db.write((transaction) =>
    appendEntry(transaction, { ...by, at: needs.clock.now(), kind: "import.finished", data: run.tally }),
  )
  return run.tally
}

/** Infers the type of memories without one from their wording, as `memory add` does. */
async function* withKinds(some: AsyncIterable<ImportLine>): AsyncGenerator<ImportLine> {
  for await (const one of some) yield { ...one, read: () => lineWithInferredType(one.read()) }
}

/** The result of this import if it is sent a second time; an interrupted one is not continued. */
function earlierImport(needs: MemoryWriteCore, by: By): Promise<ImportSummary | undefined> {
  return earlierResult(needs.db, by, {
    kind: "import.finished",
    read: ([finished]) => finished?.data as ImportSummary | undefined,
    advice: "undo it, or give a new one",
  })
}

/** Lines from which the format is detected. */
const headLines = 10

/** The first lines, and all of them. */
async function peek(lines: AsyncIterable<string>): Promise<{ head: string[]; all: AsyncIterable<string> }> {
  const iterator = lines[Symbol.asyncIterator]()
  const head: string[] = []
  let next = await iterator.next()
  while (!next.done) {
    head.push(next.value)
    if (head.length >= headLines) break
    next = await iterator.next()
  }
  async function* all(): AsyncGenerator<string> {
    yield* head
    for (let rest = await iterator.next(); !rest.done; rest = await iterator.next()) yield rest.value
  }
  return { head, all: all() }
}

async function* incoming(lines: AsyncIterable<string>): AsyncGenerator<ImportLine> {
  const times = new Map<string, number>()
  let line = 0
  for await (const text of lines) {
    line += 1
    if (text.trim() === "") continue
    const key = (read: unknown) => {
      const identity = importKeyOf(identityOf(text, read))
      const time = (times.get(identity) ?? 0) + 1
      times.set(identity, time)
      return time === 1 ? identity : importKeyOf([identity, time])
    }
    yield { line, read: () => parseJson(text), key }
  }
}

/**
 * What identifies a line when its file is imported again: its source id with its text and scope, since two sources may use
 * the same ids and a text may change; without an id the line itself.
 */
function identityOf(text: string, read: unknown): unknown[] {
  const { sourceId, content, project, scope, sessionId, audience } = Object(read) as Record<string, unknown>
  if (typeof sourceId !== "string") return ["line", text.trim()]
  return ["source", sourceId, content, project, scope, sessionId, audience]
}
