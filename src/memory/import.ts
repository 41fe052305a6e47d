import { UserError } from "../base/errors.ts"
import { appendEntry, type By, readJournal } from "../storage/journal.ts"
import { beginsExport } from "./exported.ts"
import { putBack } from "./import-export.ts"
import { emptyTally, type Imported, type ImportRun } from "./import-run.ts"
import { configFor, type RememberNeeds } from "./prepare.ts"
import { type Incoming, rememberAll } from "./remember-all.ts"

interface ImportOptions {
  verbatim: boolean
  /** The folder it is asked for in; that project's configuration applies. */
  from?: string | undefined
  onProgress?: (done: number) => void
}

/** Takes in a lossless export or JSON Lines; wrong lines are counted and named, the others are kept. */
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
    tally: emptyTally(),
    onProgress: options.onProgress ?? (() => {}),
  }
  const { first, all } = await peek(lines)
  await (beginsExport(first) ? putBack(run, all) : importLines(run, all, options.verbatim))
  run.tally.seconds = (needs.clock.now() - started) / 1000
  await needs.db.write((transaction) =>
    appendEntry(transaction, { ...by, at: needs.clock.now(), kind: "import.finished", data: run.tally }),
  )
  return run.tally
}

/** How this import went before, if it is sent a second time; one that broke off is not gone on with. */
async function earlierImport(needs: RememberNeeds, by: By): Promise<Imported | undefined> {
  const [finished] = await readJournal(needs.db, {
    operation: by.operation,
    kind: "import.finished",
    limit: 1,
  })
  if (finished) return finished.data as Imported
  const [other] = await readJournal(needs.db, { operation: by.operation, limit: 1 })
  if (other === undefined) return undefined
  throw new UserError(
    "conflict",
    `The operation ${by.operation} was used before; undo it, or give a new one.`,
  )
}

/** The first line, and all of them. */
async function peek(lines: AsyncIterable<string>): Promise<{ first: string; all: AsyncIterable<string> }> {
  const iterator = lines[Symbol.asyncIterator]()
  const first = await iterator.next()
  async function* all(): AsyncGenerator<string> {
    if (!first.done) yield first.value
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value
  }
  return { first: first.done ? "" : first.value, all: all() }
}

async function importLines(run: ImportRun, lines: AsyncIterable<string>, verbatim: boolean): Promise<void> {
  await rememberAll(run, incoming(lines), { verbatim })
}

async function* incoming(lines: AsyncIterable<string>): AsyncGenerator<Incoming> {
  let line = 0
  for await (const text of lines) {
    line += 1
    if (text.trim() !== "") yield { line, read: () => JSON.parse(text) }
  }
}
