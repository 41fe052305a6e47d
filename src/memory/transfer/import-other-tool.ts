import { existsSync } from "node:fs"
import { UserError } from "../../base/errors.ts"
import { sql } from "../../storage/sql.ts"
import type { Reader } from "../../storage/transaction.ts"
import { hasConfig } from "../model/project.ts"
import { batchesOf, batchSize } from "../model/store/batch.ts"
import { changeEdges } from "../model/store/graph.ts"
import { importKeyOf } from "../model/store/import-keys.ts"
import { findMemories } from "../model/store/store.ts"
import { findEitherWay } from "../write/change/forget-restore.ts"
import { countFailed, type ImportRun } from "../write/import-run.ts"
import type { ImportLine } from "../write/remember-all.ts"
import type { ImportFormat } from "./formats/format.ts"
import { isOwnMarkdown, readMarkdown, readOwnMarkdown } from "./formats/markdown.ts"
import { readMcp } from "./formats/mcp.ts"
import { readMem0 } from "./formats/mem0.ts"
import type { FileMemory, ParsedFile } from "./formats/parsed-file.ts"

interface OtherToolOptions {
  format: Exclude<ImportFormat, "reverie" | "jsonl">
  /** The project of its memories. */
  project?: string | undefined
  /** The file's folder: without `project`, notes in a project's folder belong to that project. */
  beside?: string | undefined
  write(memories: AsyncIterable<ImportLine>): Promise<void>
}

/** In characters. The whole file is read into memory; no tool writes that much. */
const longestFile = 200_000_000

/** Imports another tool's memories. Skips those imported before, whatever happened to them since. */
export async function importOtherTool(
  run: ImportRun,
  lines: AsyncIterable<string>,
  options: OtherToolOptions,
): Promise<void> {
  const project = await projectFor(run, options)
  const file = await parseFile(run, await allOf(lines), options.format, project)
  for (const { position, reason } of file.problems) countFailed(run, position, reason)
  if (file.memories.length === 0 && file.problems.length === 0) {
    throw new UserError("usage", `There is nothing to import in the file (read as ${options.format}).`)
  }
  const { db } = run.needs
  const known = await knownSources(db, file)
  const fresh = new Map<string, FileMemory>()
  for (const memory of file.memories) {
    if (known.has(memory.sourceId) || fresh.has(memory.sourceId)) run.tally.unchanged += 1
    else fresh.set(memory.sourceId, memory)
  }
  await writeFresh(run, [...fresh.values()], project, options.write)
  await linkImported(run, file)
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

/** The project of a file's memories: the one requested, or for notes the one whose folder they are in. */
async function projectFor(
  { needs }: ImportRun,
  { project, beside, format }: OtherToolOptions,
): Promise<string | undefined> {
  if (project !== undefined || beside === undefined || format !== "markdown") return project
  const { root, remote, keys } = await needs.projects.find(beside)
  if (root === null) return undefined
  const isRepository = remote !== null || !keys.includes(`path:${root}`)
  return isRepository || (await hasConfig(root)) ? root : undefined
}

async function parseFile(
  { needs }: ImportRun,
  lines: readonly string[],
  format: OtherToolOptions["format"],
  project: string | undefined,
): Promise<ParsedFile & { ids?: Map<string, string> }> {
  const redact = needs.screen.redactSync
  if (format === "mcp") return readMcp(lines, redact)
  if (format === "mem0") return readMem0(lines, redact)
  if (isOwnMarkdown(lines)) return readOwnMarkdown(lines, await projectsByName(needs.db))
  const identity = project === undefined ? undefined : await needs.projects.find(project)
  return readMarkdown(lines, identity?.keys[0] ?? "", redact)
}

/** Maps a project's name to its folder, if exactly one project has that name and its folder exists. */
async function projectsByName(on: Reader): Promise<(name: string) => string> {
  const rows = await on.read<{ name: string; root: string }>(sql`select name, root from projects`)
  const byName = Map.groupBy(rows, ({ name }) => name)
  return (name) => {
    const [only, another] = byName.get(name) ?? []
    return only && !another && only.root !== "" && existsSync(only.root) ? only.root : name
  }
}

/** The source ids that exist already, as imported memories or (for our own Markdown) as the memories themselves. */
async function knownSources(
  on: Reader,
  { memories, ids }: ParsedFile & { ids?: Map<string, string> },
): Promise<Set<string>> {
  const known = new Set((await sourcesIn(on, memories)).keys())
  for (const some of batchesOf([...(ids ?? [])], batchSize)) {
    const found = await findMemories(
      on,
      some.map(([, id]) => id),
    )
    for (const [source, id] of some) if (found.has(id)) known.add(source)
  }
  return known
}

/** The ids of all memories of the same tool, by their source ids. */
async function sourcesIn(on: Reader, memories: readonly FileMemory[]): Promise<Map<string, string>> {
  const tool = memories[0]?.sourceId.split(":", 1)[0] ?? ""
  const rows = await on.read<{ id: string; sourceId: string }>(
    sql`select id, source_id as "sourceId" from memories where source_id like ${`${tool}:%`}`,
  )
  return new Map(rows.map(({ id, sourceId }) => [sourceId, id]))
}

async function writeFresh(
  run: ImportRun,
  fresh: readonly FileMemory[],
  project: string | undefined,
  write: OtherToolOptions["write"],
): Promise<void> {
  const { tally } = run
  const before = tally.problems.length
  const shared = { ...(project === undefined ? {} : { project }), createdAt: run.needs.clock.now() }
  await write(incoming(fresh, shared))
  const located = tally.problems
    .slice(before)
    .map((problem) =>
      problem.replace(/^line (\d+)/, (line, number) => fresh[Number(number) - 1]?.position ?? line),
    )
  tally.problems.splice(before, located.length, ...located)
}

async function* incoming(
  memories: readonly FileMemory[],
  shared: Partial<FileMemory["fields"]>,
): AsyncGenerator<ImportLine> {
  for (const [index, { sourceId, fields }] of memories.entries()) {
    const memory = { ...shared, ...fields, sourceId }
    yield { line: index + 1, read: () => memory, key: () => importKeyOf(["foreign", sourceId]) }
  }
}

/** Adds the other tool's links where both ends exist and are not linked yet. */
async function linkImported({ needs, by }: ImportRun, { links, memories }: ParsedFile): Promise<void> {
  if (links.length === 0) return
  const ids = await sourcesIn(needs.db, memories)
  const at = needs.clock.now()
  for (const batch of batchesOf(links, batchSize)) {
    await needs.db.write(async (transaction) => {
      for (const link of batch) {
        const [source, target] = [ids.get(link.from), ids.get(link.to)]
        if (source === undefined || target === undefined || source === target) continue
        if (await findEitherWay(transaction, source, "relates-to", target)) continue
        const edge = { source, kind: "relates-to" as const, target, weight: 1, createdAt: at }
        await changeEdges(transaction, [{ before: null, after: edge, at, by }])
      }
    })
  }
}
