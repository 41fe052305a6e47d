import { existsSync } from "node:fs"
import { UserError } from "../../base/errors.ts"
import { sql } from "../../storage/sql.ts"
import type { Reader } from "../../storage/transaction.ts"
import { hasConfig } from "../model/project.ts"
import { batchSize } from "../model/store/batch.ts"
import { changeEdges } from "../model/store/graph.ts"
import { importKeyOf } from "../model/store/import-keys.ts"
import { findMemories } from "../model/store/store.ts"
import { findEitherWay } from "../write/change/forget-restore.ts"
import { type ImportRun, noteFailed } from "../write/import-run.ts"
import type { Incoming } from "../write/remember-all.ts"
import type { Foreign, ForeignMemory } from "./formats/foreign.ts"
import type { ImportFormat } from "./formats/format.ts"
import { isOwnMarkdown, readMarkdown, readOwnMarkdown } from "./formats/markdown.ts"
import { readMcp } from "./formats/mcp.ts"
import { readMem0 } from "./formats/mem0.ts"

/** What is known about a file of another tool. */
interface ForeignOptions {
  format: Exclude<ImportFormat, "reverie" | "jsonl">
  /** Where its memories belong. */
  project?: string | undefined
  /** The file's folder: notes of a project's folder belong to that project, unless said otherwise. */
  beside?: string | undefined
  write(memories: AsyncIterable<Incoming>): Promise<void>
}

/** A file of another tool is read as a whole; this is more than any of them writes. */
const longestFile = 200_000_000

/** Takes in what another tool remembered. What came in before, whatever became of it since, is left alone. */
export async function importForeign(
  run: ImportRun,
  lines: AsyncIterable<string>,
  options: ForeignOptions,
): Promise<void> {
  const project = await projectFor(run, options)
  const foreign = await readForeign(run, await allOf(lines), options.format, project)
  for (const { position, reason } of foreign.problems) noteFailed(run, position, reason)
  if (foreign.memories.length === 0 && foreign.problems.length === 0) {
    throw new UserError("usage", `There is nothing to import in the file (read as ${options.format}).`)
  }
  const { db } = run.needs
  const known = await knownSources(db, foreign)
  const fresh = new Map<string, ForeignMemory>()
  for (const memory of foreign.memories) {
    if (known.has(memory.sourceId) || fresh.has(memory.sourceId)) run.tally.unchanged += 1
    else fresh.set(memory.sourceId, memory)
  }
  await writeFresh(run, [...fresh.values()], project, options.write)
  await linkForeign(run, foreign)
}

async function allOf(lines: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = []
  let length = 0
  for await (const line of lines) {
    length += line.length
    if (length > longestFile) {
      throw new UserError(
        "usage",
        "The file is too long to be another tool's memory; convert it to JSON Lines.",
      )
    }
    all.push(line)
  }
  return all
}

/** The project that a file's memories belong to: the one named, or for notes the one they lie in. */
async function projectFor(
  { needs }: ImportRun,
  { project, beside, format }: ForeignOptions,
): Promise<string | undefined> {
  if (project !== undefined || beside === undefined || format !== "markdown") return project
  const { root, remote, keys } = await needs.projects.find(beside)
  if (root === null) return undefined
  const isRepository = remote !== null || !keys.includes(`path:${root}`)
  return isRepository || (await hasConfig(root)) ? root : undefined
}

async function readForeign(
  { needs }: ImportRun,
  lines: readonly string[],
  format: ForeignOptions["format"],
  project: string | undefined,
): Promise<Foreign & { ids?: Map<string, string> }> {
  const redact = needs.screen.redactSync
  if (format === "mcp") return readMcp(lines, redact)
  if (format === "mem0") return readMem0(lines, redact)
  if (isOwnMarkdown(lines)) return readOwnMarkdown(lines, await projectsByName(needs.db))
  const identity = project === undefined ? undefined : await needs.projects.find(project)
  return readMarkdown(lines, identity?.keys[0] ?? "", redact)
}

/** Finds the folder of a project by its name, where that is clear; else the name must do. */
async function projectsByName(on: Reader): Promise<(name: string) => string> {
  const rows = await on.read<{ name: string; root: string }>(sql`select name, root from projects`)
  const byName = Map.groupBy(rows, ({ name }) => name)
  return (name) => {
    const [only, another] = byName.get(name) ?? []
    return only && !another && only.root !== "" && existsSync(only.root) ? only.root : name
  }
}

/** The source ids of memories that are there, and of an export's that are. */
async function knownSources(
  on: Reader,
  { memories, ids }: Foreign & { ids?: Map<string, string> },
): Promise<Set<string>> {
  const known = new Set((await sourcesIn(on, memories)).keys())
  const there = [...(ids ?? [])]
  for (let from = 0; from < there.length; from += batchSize) {
    const some = there.slice(from, from + batchSize)
    const found = await findMemories(
      on,
      some.map(([, id]) => id),
    )
    for (const [source, id] of some) if (found.has(id)) known.add(source)
  }
  return known
}

/** The memories that came from the same tool, by their source ids. */
async function sourcesIn(on: Reader, memories: readonly ForeignMemory[]): Promise<Map<string, string>> {
  const tool = memories[0]?.sourceId.split(":", 1)[0] ?? ""
  const rows = await on.read<{ id: string; sourceId: string }>(
    sql`select id, source_id as "sourceId" from memories where source_id like ${`${tool}:%`}`,
  )
  return new Map(rows.map(({ id, sourceId }) => [sourceId, id]))
}

async function writeFresh(
  run: ImportRun,
  fresh: readonly ForeignMemory[],
  project: string | undefined,
  write: ForeignOptions["write"],
): Promise<void> {
  const { tally } = run
  const told = tally.problems.length
  const together = { ...(project === undefined ? {} : { project }), createdAt: run.needs.clock.now() }
  await write(incoming(fresh, together))
  const located = tally.problems
    .slice(told)
    .map((problem) =>
      problem.replace(/^line (\d+)/, (line, number) => fresh[Number(number) - 1]?.position ?? line),
    )
  tally.problems.splice(told, located.length, ...located)
}

async function* incoming(
  memories: readonly ForeignMemory[],
  together: Partial<ForeignMemory["given"]>,
): AsyncGenerator<Incoming> {
  for (const [index, { sourceId, given }] of memories.entries()) {
    const memory = { ...together, ...given, sourceId }
    yield { line: index + 1, read: () => memory, key: () => foreignKey(sourceId) }
  }
}

function foreignKey(sourceId: string): string {
  return importKeyOf(["foreign", sourceId])
}

/** Links what the other tool had linked, as far as both ends are there and it is not done already. */
async function linkForeign({ needs, by }: ImportRun, { links, memories }: Foreign): Promise<void> {
  if (links.length === 0) return
  const ids = await sourcesIn(needs.db, memories)
  const at = needs.clock.now()
  for (let from = 0; from < links.length; from += batchSize) {
    await needs.db.write(async (transaction) => {
      for (const link of links.slice(from, from + batchSize)) {
        const [source, target] = [ids.get(link.from), ids.get(link.to)]
        if (source === undefined || target === undefined || source === target) continue
        if (await findEitherWay(transaction, source, "relates-to", target)) continue
        const edge = { source, kind: "relates-to" as const, target, weight: 1, createdAt: at }
        await changeEdges(transaction, [{ before: null, after: edge, at, by }])
      }
    })
  }
}
