import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import type { Client } from "../../src/api/client.ts"
import { UserError } from "../../src/base/errors.ts"
import { openMemory } from "../../src/library.ts"
import { openReadableLog } from "../../testkit/embedding.ts"
import { findAny } from "../../testkit/hostile/find-any.ts"
import { type PlantedSecret, plantSecrets } from "../../testkit/hostile/planted-secrets.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"
import { createInstallation, type Installation } from "../../testkit/program/program.ts"
import { createSeededRandom } from "../../testkit/seeded-random.ts"

/** At least 110 of them, and every kind there is. */
const count = 112

/** What one way in is given, and what it says about it. */
interface Way {
  installation: Installation
  client: Client
  planted: readonly PlantedSecret[]
  /** A folder for files that are not Reverie's. */
  outside: string
  /** Notes what somebody could read. */
  say(text: unknown): void
}

/** What is refused for its form says so in a sentence, which must not quote it either. */
async function orSentence(way: Way, work: Promise<unknown>): Promise<void> {
  try {
    way.say(await work)
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    way.say(error.message)
  }
}

/** A secret alone, if its own form tells that it is one. */
function bare(secret: string): string {
  const isToken = /^(?:gh[pousr]_|github_pat_|glpat-|AKIA|AIza|xoxb-|sk|npm_|dckr_pat_|dop_v1_)/.test(secret)
  return isToken ? secret : "harmless"
}

function fileOf({ outside }: Way, name: string, lines: readonly string[]): string {
  const file = join(outside, name)
  writeFileSync(file, `${lines.join("\n")}\n`)
  return file
}

async function importFile(way: Way, file: string, ...options: string[]): Promise<Record<string, number>> {
  const { stdout, stderr } = await way.installation.run("memory", "import", file, "--json", ...options)
  way.say([stdout, stderr])
  return stdout === "" ? {} : JSON.parse(stdout)
}

/** Each way in of what is told or asked, by the sentence that names it. */
export const told: Record<string, (way: Way) => Promise<void>> = {
  async "told through the daemon"(way) {
    for (const { text } of way.planted) way.say(await way.client.add({ content: text, verbatim: true }))
  },

  async "told by the command line"(way) {
    for (const { text } of way.planted.slice(0, 3)) {
      way.say(await way.installation.run("memory", "add", text, "--tag", "cli"))
    }
  },

  async "told in the fields beside the text"(way) {
    const names = ["context", "reason", "season", "sourceId", "sessionId", "audience", "project"] as const
    const lists = ["steps", "prerequisites", "warnings", "triggers", "tags", "files"] as const
    for (const [index, { text }] of way.planted.entries()) {
      const name = names[index % names.length] ?? "context"
      const list = lists[index % lists.length] ?? "steps"
      for (const field of [{ [name]: text }, { [list]: ["harmless", text] }]) {
        const memory = { content: `A memory with fields, number ${index}`, verbatim: true, ...field }
        await orSentence(way, way.client.add(memory))
      }
    }
  },

  async "edited into a memory"(way) {
    const { id } = (await way.client.add({ content: "To be edited", verbatim: true })) as { id: string }
    for (const [index, { text }] of way.planted.entries()) {
      const fields = [
        "content",
        "context",
        "reason",
        "season",
        "steps",
        "triggers",
        "tags",
        "project",
        "audience",
        "files",
      ] as const
      const field = fields[index % fields.length] ?? "content"
      const isList = ["steps", "triggers", "tags", "files"].includes(field)
      await orSentence(way, way.client.edit(id, { [field]: isList ? [text] : text }))
    }
  },

  async "given as a tag"(way) {
    const { id } = (await way.client.add({ content: "To be tagged", verbatim: true })) as { id: string }
    for (const { text, secret } of way.planted) {
      for (const tag of [text, bare(secret)]) {
        await orSentence(way, way.client.tag({ ids: [id], add: [tag] }))
      }
    }
  },

  async "given to the library"(way) {
    const { log, lines } = openReadableLog()
    const memory = await openMemory({ home: way.installation.home, log })
    const half = way.planted.length / 2
    for (const { text } of way.planted.slice(0, half)) {
      way.say(await memory.remember({ content: text, context: text, tags: ["library"], verbatim: true }))
    }
    const rest = way.planted.slice(half).map(({ text }) => ({ content: text, warnings: [text] }))
    way.say(await memory.rememberAll(rest, { verbatim: true }))
    for (const { text } of way.planted.slice(0, 20)) {
      way.say(await memory.retrieve({ query: text, gate: false }))
    }
    await memory.export((text) => way.say(text))
    await memory.close()
    way.say(lines)
  },

  async "asked for in a search"(way) {
    for (const { text } of way.planted) way.say(await way.client.search({ query: text, limit: 200 }))
    const [first] = (await way.client.list({ limit: 1 })).memories
    for (const { text } of way.planted.slice(0, 20)) {
      way.say((await way.client.why(first?.id ?? "", { query: text })).sentences)
    }
  },
}

/** Each way in of what comes as a file. */
export const imported: Record<string, (way: Way) => Promise<void>> = {
  async "imported as JSON Lines"(way) {
    const lines = way.planted.map(({ text }, index) =>
      JSON.stringify({ content: `${text}\nNumber ${index}`, context: text, sourceId: text.slice(0, 500) }),
    )
    const { saved = 0, superseded = 0 } = await importFile(way, fileOf(way, "lines.jsonl", lines))
    expect(saved + superseded).toBeGreaterThan(count / 2)
  },

  async "imported verbatim"(way) {
    const lines = way.planted.map(({ text }) => JSON.stringify({ content: text, steps: [text] }))
    const { saved } = await importFile(way, fileOf(way, "verbatim.jsonl", lines), "--verbatim")
    expect(saved).toBeGreaterThan(count / 2)
  },

  async "imported in lines that are broken"(way) {
    const lines = way.planted.flatMap(({ secret }) => [
      `{"content": "The token ${secret}`,
      `{"content": ${secret}}`,
      secret,
    ])
    const file = fileOf(way, "broken.jsonl", ['{"content": "a whole line"}', ...lines])
    const { failed } = await importFile(way, file, "--format", "jsonl")
    expect(failed).toBe(3 * count)
    for (const { secret } of way.planted.slice(0, 5)) {
      const head = '{\n"schemaVersion": 1,\n"format": "reverie-memory",\n"memories": ['
      await importFile(way, fileOf(way, "broken.json", [head, `{"id": ${secret}}`, "]", "}"]))
    }
  },

  async "imported from other tools"(way) {
    const third = Math.ceil(count / 3)
    const [mcp, mem0, notes] = [0, 1, 2].map((part) => way.planted.slice(part * third, (part + 1) * third))
    const entities = (mcp ?? []).flatMap(({ text, secret }) => [
      JSON.stringify({ type: "entity", name: text, entityType: bare(secret), observations: [text] }),
      JSON.stringify({ type: "relation", from: text, to: "billing", relationType: text }),
    ])
    await importFile(way, fileOf(way, "mcp.jsonl", entities), "--format", "mcp")
    const results = (mem0 ?? []).map(({ text, secret }) => ({
      id: bare(secret),
      memory: text,
      user_id: bare(secret),
      run_id: bare(secret),
      metadata: { note: text },
    }))
    await importFile(way, fileOf(way, "mem0.json", [JSON.stringify({ results })]), "--format", "mem0")
    const items = (notes ?? []).map(({ text }) => `- ${text.replaceAll("\n", "\n  ")}\n`)
    await importFile(way, fileOf(way, "notes.md", ["# Notes", "", ...items]))
  },

  async "imported as an export that another tool wrote"(way) {
    const file = fileOf(way, "export.json", [JSON.stringify(foreignExport(way.planted))])
    const { saved } = await importFile(way, file)
    expect(saved).toBeGreaterThan(count / 2)
  },
}

/** What a tool that knows the format, but no screen, could have written. */
function foreignExport(planted: readonly PlantedSecret[]) {
  const at = "2026-01-01T00:00:00.000Z"
  const memories = planted.map(({ text, secret }, index) => ({
    id: `m_foreign${index}`,
    version: 2,
    content: index % 2 === 0 ? text : `A harmless sentence, number ${index}`,
    type: "fact",
    scope: "project",
    project: "p_foreign",
    tags: [text, bare(secret)],
    status: "active",
    supersededBy: null,
    source: "user-stated",
    sourceId: text,
    sessionId: text,
    messageIndex: null,
    createdAt: at,
    updatedAt: at,
    accessedAt: null,
    verifiedAt: null,
    accessCount: 0,
    strength: 1,
    confidence: 1,
    trust: 0.9,
    audience: index % 5 === 0 ? text : null,
    triggers: [text],
    details: { context: text, reason: text, steps: [text], warnings: [text], season: text, files: [text] },
  }))
  const [first] = planted
  return {
    schemaVersion: 1,
    format: "reverie-memory",
    projects: [
      {
        id: "p_foreign",
        name: first?.text,
        root: first?.text,
        remote: first?.text,
        createdAt: at,
        keys: [first?.text],
      },
    ],
    memories,
    edges: planted.map(({ text }, index) => ({
      source: `m_foreign${index}`,
      kind: "relates-to",
      target: text,
      weight: 1,
      createdAt: at,
    })),
    history: memories.map((after, index) => ({
      at,
      kind: "memory.saved",
      subject: after.id,
      operation: `op_foreign${index}`,
      actor: planted[index]?.text,
      data: {
        before: { ...after, content: planted[index]?.text },
        after,
        [planted[index]?.text ?? ""]: true,
      },
    })),
  }
}

/** Every byte below a folder, file by file. */
function filesBelow(folder: string): { file: string; text: string }[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const file = join(entry.parentPath, entry.name)
      return { file, text: readFileSync(file, "latin1") }
    })
}

/** Everything that can be read back: commands, the door, and what they print. */
async function readBack({ json, run }: Installation, client: Client, say: (text: unknown) => void) {
  for (const format of ["json", "markdown"]) say(await run("memory", "export", "--format", format))
  let after = 0
  for (;;) {
    const { entries } = await client.journal({ after, limit: 10_000 })
    say(entries)
    after = entries.at(-1)?.seq ?? after
    if (entries.length < 10_000) break
  }
  say(await run("journal", "--json", "-n", "9999"))
  say(await run("logs", "-n", "9999"))
  for (const words of ["billing service", "the password", "token key", "removed", "memory with fields"]) {
    say(await json("memory", "search", words, "--limit", "200", "--all-projects"))
  }
  const ids = (await client.list({ limit: 1000, allProjects: "true" })).memories.map(({ id }) => id)
  for (const id of ids) say(await client.show(id))
  say(await run("memory", "show", ids[0] ?? ""))
  say(await run("memory", "history", ids[0] ?? ""))
  for (const query of [{}, { allProjects: "true" as const }]) say(await client.conflicts(query))
  return ids.length
}

/** What must be there afterwards, so that the absence of secrets means something; and which secrets are planted. */
interface Planting {
  ways: Record<string, (way: Way) => Promise<void>>
  memories: number
  removed: number
  seed: number
}

/** Plants secrets by each way, then looks for them in everything that was written, said or can be read. */
export async function expectNoneFound({ ways, ...atLeast }: Planting): Promise<void> {
  const installation = createInstallation()
  writeFileSync(
    join(installation.home, "config.toml"),
    '[embedding]\nmodel = "none"\n\n[log]\nlevel = "debug"\n',
  )
  const daemon = await installation.daemon()
  const printed: string[] = []
  daemon.process.stdout?.on("data", (chunk) => printed.push(String(chunk)))
  daemon.process.stderr?.on("data", (chunk) => printed.push(String(chunk)))
  const { client } = daemon
  const said: string[] = []
  const say = (text: unknown) => void said.push(typeof text === "string" ? text : JSON.stringify(text))
  const planted = new Map<string, { way: string; kind: string }>()
  for (const [index, [name, go]] of Object.entries(ways).entries()) {
    const own = plantSecrets(createSeededRandom(atLeast.seed + index), count)
    expect(new Set(own.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(20)
    for (const { secret, kind } of own) planted.set(secret, { way: name, kind })
    await go({ installation, client, planted: own, outside: throwawayFolder(), say })
  }
  await client.takeSnapshot()
  expect(await readBack(installation, client, say)).toBeGreaterThan(atLeast.memories)

  const files = filesBelow(installation.home)
  const names = files.map(({ file }) => file)
  for (const wanted of [/reverie\.db$/, /reverie\.db-wal$/, /snapshots/, /reverie\.log$/]) {
    expect(names).toContainEqual(expect.stringMatching(wanted))
  }
  // The screen worked on all of them, so that their absence means something. A snapshot has all, the database's log too.
  const stored = files.find(({ file }) => /snapshots.*\.db$/.test(file))?.text ?? ""
  expect(stored.match(/ removed\]/g)?.length).toBeGreaterThan(atLeast.removed)

  const heaps = [
    ...files,
    { file: "said", text: said.join("\n") },
    { file: "printed", text: printed.join("") },
  ]
  // Four digits stand in times and ids by chance: of door codes the words around them are looked at elsewhere.
  const telling = [...planted].filter(([secret]) => secret.length > 5)
  const looked = telling.flatMap(([secret]) => [secret, secret.toLowerCase()])
  const there = heaps.map(({ file, text }) => ({ file, words: findAny(text, looked) }))
  const found = telling.flatMap(([secret, { way, kind }]) =>
    there
      .filter(({ words }) => words.has(secret) || words.has(secret.toLowerCase()))
      .map(({ file }) => `${kind} ${way}: in ${file.split("/").at(-1)}`),
  )
  expect(found).toEqual([])
  expect(telling.length).toBeGreaterThanOrEqual(110 * Object.keys(ways).length)
  await installation.run("stop")
  expect(await daemon.ended).toBe(0)
}
