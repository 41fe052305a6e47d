import { UserError } from "../../base/errors.ts"
import { parseJson } from "../../base/text/json.ts"
import { appendEntry, type By } from "../../storage/journal.ts"
import { earlierResult } from "../../storage/operation.ts"
import { withKindOfLine } from "../extract/infer-kind.ts"
import type { importFormats } from "../model/kinds.ts"
import { importKeyOf } from "../model/store/import-keys.ts"
import { emptyTally, type Imported, type ImportRun } from "../write/import-run.ts"
import { configFor, type RememberNeeds } from "../write/prepare.ts"
import { type Incoming, rememberAll } from "../write/remember-all.ts"
import { recogniseFormat } from "./formats/format.ts"
import { putBack } from "./import-export.ts"
import { importForeign } from "./import-foreign.ts"

interface ImportOptions {
  verbatim: boolean
  /** The folder it is asked for in; that project's configuration applies. */
  from?: string | undefined
  /** What the file is; it is looked at if that is not said. */
  format?: (typeof importFormats)[number]
  /** Where memories of another tool belong. */
  project?: string | undefined
  /** The file's folder: notes that lie in a project belong to it. */
  beside?: string | undefined
  onProgress?: (done: number) => void
}

/** Takes in a lossless export, JSON Lines or what another tool wrote; wrong lines are counted and named, the others are kept. */
export async function importText(
  needs: RememberNeeds,
  lines: AsyncIterable<string>,
  by: By,
  options: ImportOptions,
): Promise<Imported> {
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
  const write = (some: AsyncIterable<Incoming>) =>
    rememberAll(run, withKinds(some), { verbatim: options.verbatim })
  if (format === "reverie") await putBack(run, all)
  else if (format === "jsonl") await write(incoming(all))
  else await importForeign(run, all, { ...options, format, write })
  run.tally.seconds = (needs.clock.now() - started) / 1000
  await needs.db.write((transaction) =>
    appendEntry(transaction, { ...by, at: needs.clock.now(), kind: "import.finished", data: run.tally }),
  )
  return run.tally
}

/** What has no type gets the one of its wording, as what is told by hand does. */
async function* withKinds(some: AsyncIterable<Incoming>): AsyncGenerator<Incoming> {
  for await (const one of some) yield { ...one, read: () => withKindOfLine(one.read()) }
}

/** How this import went before, if it is sent a second time; one that broke off is not gone on with. */
function earlierImport(needs: RememberNeeds, by: By): Promise<Imported | undefined> {
  return earlierResult(needs.db, by, {
    kind: "import.finished",
    read: ([finished]) => finished?.data as Imported | undefined,
    advice: "undo it, or give a new one",
  })
}

/** How many lines tell what a file is. */
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

async function* incoming(lines: AsyncIterable<string>): AsyncGenerator<Incoming> {
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
 * What a line is known by when its file comes again: the id its source has for it, with its text and scope, since two
 * sources may count alike and a text may be told anew; without an id the line itself. What a file says twice was said
 * twice.
 */
function identityOf(text: string, read: unknown): unknown[] {
  const { sourceId, content, project, scope, sessionId, audience } = Object(read) as Record<string, unknown>
  if (typeof sourceId !== "string") return ["line", text.trim()]
  return ["source", sourceId, content, project, scope, sessionId, audience]
}
