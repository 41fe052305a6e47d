import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, test } from "vitest"
import { describeWithModel } from "../../testkit/embedding.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"
import { createInstallation, type Ended } from "../../testkit/program/program.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const compiler = join(root, "node_modules/typescript/bin/tsc")

/** A folder of somebody else's in which the package is installed. */
function otherFolder(): string {
  const folder = throwawayFolder()
  mkdirSync(join(folder, "node_modules"))
  symlinkSync(root, join(folder, "node_modules/reverie"))
  writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }\n')
  return folder
}

/** Runs Node there, with nothing of this installation's settings. */
function node(folder: string, ...args: string[]): Promise<Ended> {
  return createInstallation({ cwd: folder, command: [process.execPath] }).run(...args)
}

const script = `
import { openMemory } from "reverie/memory"

const memory = await openMemory({ home: process.argv[2], settings: { embedding: { model: "none" } }, actor: "script" })
const first = await memory.remember({ content: "The API listens on port 8080", tags: ["api"] })
const second = await memory.remember({ content: "The API listens on port 9090" }, "op_fromscript1")
const again = await memory.remember({ content: "The API listens on port 9090" }, "op_fromscript1")
async function* many() {
  yield { content: "Deploys run from main", sourceId: "a", createdAt: "2026-01-02T03:04:05Z" }
  yield { content: "Never commit .env files", type: "negative", triggers: [".env"] }
  yield { content: " " }
}
const all = await memory.rememberAll(many())
const found = await memory.retrieve({ query: "Which port does the API listen on?" })
const warned = await memory.retrieve({ query: "git add .env", limit: 1 })
const nothing = await memory.retrieve({ query: "capital of Peru" })
const undone = await memory.undo(all.operation)
let text = ""
await memory.export((part) => { text += part })
const wrong = await memory.remember({ content: 7 }).catch((error) => error.message)
await memory.close()
const journal = JSON.parse(text).history.map(({ kind, actor }) => [kind, actor])
console.log(JSON.stringify({ first, second, again, all, found, warned, nothing, undone, journal, wrong }))
`

const wrongly = `
import { openMemory } from "reverie/memory"

const said = []
const fails = async (work) => {
  try {
    await work()
    said.push("nothing")
  } catch (error) {
    said.push(error.name === "UserError" ? error.message : String(error.stack))
  }
}
const home = process.argv[2]
await fails(() => openMemory({ home: 5 }))
await fails(() => openMemory({ home, embedder: {} }))
await fails(() => openMemory({ home, log: { warn: true } }))
await fails(() => openMemory({ home, url: "mysql://x" }))
await fails(() => openMemory({ home, settings: { foo: {} } }))
await fails(() => openMemory({ home, settings: { embedding: { model: "bogus" } } }))
await fails(() => openMemory({ home, settings: { embedding: 5 } }))
const memory = await openMemory({ home, settings: { embedding: { model: "none" } } })
await fails(() => memory.retrieve({}))
await fails(() => memory.retrieve({ query: "a", limit: "a" }))
await fails(() => memory.retrieve({ query: "a", audiences: "x" }))
await fails(() => memory.remember({ content: "a", tags: ["x".repeat(101)] }))
await fails(() => memory.retrieve({ query: "a", gate: "foo" }))
await fails(() => memory.remember({ content: "a", createdAt: "x" }))
await fails(() => memory.remember({ content: "a", scope: "project" }))
await fails(() => memory.undo(5))
await fails(() => memory.session({}))
const session = memory.session({ id: "one" })
await fails(() => session.turn({}))
await memory.close()
await memory.close()
await fails(() => memory.retrieve({ query: "a" }))
await fails(() => memory.remember({ content: "a" }))
await fails(() => memory.undo())
await fails(() => memory.export(() => {}))
await fails(() => memory.session({ id: "one" }))
await fails(() => session.start())
console.log(JSON.stringify(said))
`

const gardening = `
import { openMemory } from "reverie/memory"

const memory = await openMemory({ home: process.argv[2], settings: { embedding: { model: "none" } } })
const texts = ["The API listens on port 8080", "the API listens on port 8080.", "The API listens on port 9090"]
const dated = texts.map((content, day) => ({ content, createdAt: "2026-01-0" + (day + 1) }))
await memory.rememberAll(dated, { verbatim: true })
const receipt = await memory.garden({ limit: 50 })
const again = await memory.garden()
const counts = async () => {
  let text = ""
  await memory.export((part) => { text += part })
  return JSON.parse(text).memories.filter(({ status }) => status === "active").length
}
const tended = await counts()
for (const { operation } of receipt.deeds.toReversed()) await memory.undo(operation)
console.log(JSON.stringify({ receipt, again, tended, undone: await counts() }))
await memory.close()
`

const following = `
import { openMemory } from "reverie/memory"

const home = process.argv[2]
const open = (actor) => openMemory({ home, actor, settings: { embedding: { model: "none" }, memory: { longest_text: 200 } } })
const memory = await open("bot")
const chapter = (word) => ("The " + word + " chapter. " + "It tells of many things at length. ".repeat(4)).trim()
const first = await memory.rememberAll([
  { content: "The office is in Lyon", sourceId: "a" },
  { content: "" },
  { content: [chapter("walrus"), chapter("giraffe")].join("\\n\\n"), sourceId: "b" },
])
const second = await memory.rememberAll([{ content: "The office is in Nice now", sourceId: "a" }])
const third = await memory.remember({ content: "The office is in Nice now", sourceId: "a" })
const office = await memory.retrieve({ query: "Where is the office?" })
const giraffe = await memory.retrieve({ query: "giraffe" })
let heard = 0
async function* many() {
  for (let number = 0; number < 3000; number += 1) yield { content: "note number " + number, sourceId: "n" + number }
}
const streamed = await memory.rememberAll(many(), {
  verbatim: true,
  onOutcome({ line, id, sourceId, outcome }) {
    if (line !== heard + 1 || sourceId !== "n" + heard || !id || outcome !== "saved") throw new Error("out of order")
    heard += 1
  },
})
const day = 86_400_000
const told = Date.UTC(2024, 4, 10)
for (const [content, at] of [["We hiked the ridge", told], ["We hiked the valley", told - 200 * day]]) {
  await memory.remember({ content, createdAt: at, verbatim: true })
}
const ask = async (askedAt) => {
  const { memories } = await memory.retrieve({ query: "Where did we hike last week?", askedAt, gate: false, limit: 1 })
  return memories[0].content
}
const hikes = [
  await ask(new Date(told + 8 * day)),
  await ask(told - 192 * day),
  await ask(new Date(told - 192 * day).toISOString()),
]
const wrong = await ask("whenever").catch((error) => error.message)
await memory.close()
console.log(JSON.stringify({ first, second, third, office, giraffe, heard, streamed, hikes, wrong }))
`

describe("The library", () => {
  test("tells the id of every line, updates what has the same sourceId, splits long texts, and asks as of a time", async () => {
    const folder = otherFolder()
    writeFileSync(join(folder, "following.mjs"), following)
    const { code, stdout, stderr } = await node(folder, "following.mjs", throwawayFolder())
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    const said = JSON.parse(stdout)
    const id = expect.stringMatching(/^m_/)
    expect(said.first).toMatchObject({ saved: 2, refused: 1, updated: 0 })
    expect(said.first.outcomes).toEqual([
      { line: 1, sourceId: "a", outcome: "saved", id },
      { line: 2, outcome: "refused", reason: "there is no text in it" },
      { line: 3, sourceId: "b", outcome: "saved", id, parts: [id, id], reason: expect.any(String) },
    ])
    const own = said.first.outcomes[0].id
    expect(said.second.outcomes).toEqual([{ line: 1, sourceId: "a", outcome: "updated", id: own }])
    expect(said.third).toEqual({ outcome: "unchanged", id: own })
    expect(said.office.memories[0]).toMatchObject({
      id: own,
      content: "The office is in Nice now",
      sourceId: "a",
    })
    expect(said.giraffe.memories[0]).toMatchObject({ sourceId: "b", part: { number: 2, of: 2 } })
    expect(said.heard).toBe(3000)
    expect(said.streamed).toMatchObject({ saved: 3000, outcomes: [] })
    expect(said.hikes).toEqual(["We hiked the ridge", "We hiked the valley", "We hiked the valley"])
    expect(said.wrong).toBe(
      "The time must be a Date, a text such as 2026-03-01T12:00:00Z, or milliseconds since 1970.",
    )
  })

  test("tends the memory and hands out a receipt that can be taken back", async () => {
    const folder = otherFolder()
    writeFileSync(join(folder, "garden.mjs"), gardening)
    const { code, stdout, stderr } = await node(folder, "garden.mjs", throwawayFolder())
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    const { receipt, again, tended, undone } = JSON.parse(stdout)
    expect(receipt).toMatchObject({ isDone: true, open: [], gaps: [], warnings: [] })
    expect(receipt.seconds).toBeGreaterThanOrEqual(0)
    expect(receipt.deeds.map(({ name }: { name: string }) => name).sort()).toEqual([
      "contradicted replaced",
      "duplicates merged",
    ])
    expect(again.deeds).toEqual([])
    expect({ tended, undone }).toEqual({ tended: 1, undone: 3 })
  })

  test("works from a plain script in another folder, through the package's own exports", async () => {
    const folder = otherFolder()
    writeFileSync(join(folder, "script.mjs"), script)
    const { code, stdout, stderr } = await node(folder, "script.mjs", throwawayFolder())
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    const said = JSON.parse(stdout)
    expect(said.first).toMatchObject({ outcome: "saved" })
    expect(said.second).toMatchObject({ outcome: "superseded", related: [said.first.id] })
    expect(said.again).toEqual(said.second)
    expect(said.all).toMatchObject({ saved: 2, refused: 1, failed: 0 })
    expect(said.found).toMatchObject({
      abstained: false,
      memories: [{ id: said.second.id, content: "The API listens on port 9090", via: expect.any(Array) }],
    })
    expect(said.warned.memories).toMatchObject([{ type: "negative", via: ["trigger .env"] }])
    expect(said.nothing).toMatchObject({ memories: [], abstained: true })
    expect(said.undone).toMatchObject({ undid: said.all.operation, changes: 2 })
    expect(said.journal).toContainEqual(["memory.superseded", "script"])
    expect(said.wrong).toBe("The content must be a text, not 7.")
  })

  test("says in a sentence what is wrong with what it is given, and when it is closed", async () => {
    const folder = otherFolder()
    writeFileSync(join(folder, "wrong.js"), wrongly)
    const { stdout, stderr } = await node(folder, "wrong.js", throwawayFolder())
    expect(stderr).toBe("")
    expect(JSON.parse(stdout)).toEqual([
      "The home must be a text, not 5.",
      "The embedder must have model, dimensions, similarity, embed(), status() and close().",
      "The log must have debug(), info(), warn() and error().",
      expect.stringMatching(/^url must be .*postgres.*; correct or unset it\.$/),
      "foo is not a setting; `reverie config get` lists all settings.",
      "The setting embedding.model must be all-MiniLM-L6-v2, gte-small, remote or none.",
      "The settings embedding must be an object, not 5.",
      "The query is missing.",
      'The limit must be a number, not "a".',
      '`audiences` must be a list, not "x".',
      "The tag is too long: at most 100 characters.",
      'The gate must be one of true, false, strict, not "foo".',
      '`createdAt` must be a time such as 2026-11-18T12:00:00Z, not "x".',
      "A memory of project scope needs its project; give project.",
      "The operation must be a text, not 5.",
      "The id is missing.",
      "The role is missing.",
      ...Array.from({ length: 6 }, () => "This memory has been closed; open it again with openMemory()."),
    ])
  })

  test("says which Node it needs on one that is too old, as the program does", async () => {
    const folder = otherFolder()
    const older =
      'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } })'
    const preload = `--import=data:text/javascript,${encodeURIComponent(older)}`
    const script = 'import("reverie/memory").catch((error) => console.log(error.message))'
    expect((await node(folder, preload, "-e", script)).stdout).toBe(
      "Reverie needs Node 22.13 or newer; this is Node 20.20.2.\n",
    )
    expect(await node(folder, preload, join(root, "dist/main.js"), "status")).toMatchObject({
      code: 1,
      stderr: "reverie: Node 20.20.2 is too old; install Node 22.13 or newer.\n",
    })
  })

  test("gives nothing but what it exports", async () => {
    const folder = otherFolder()
    writeFileSync(join(folder, "script.mjs"), 'await import("reverie/dist/main.js")\n')
    expect((await node(folder, "script.mjs")).stderr).toMatch(/ERR_PACKAGE_PATH_NOT_EXPORTED/)
  })

  test("has types that compile strictly on their own, and refuse what is wrong", async () => {
    const folder = otherFolder()
    const compilerOptions = {
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      module: "nodenext",
      target: "es2023",
      lib: ["es2023"],
      types: [],
      noEmit: true,
      skipLibCheck: false,
    }
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }))
    const right = `
      import { openMemory, type MemoryAnswer, type MemoryLibrary, type NewMemory } from "reverie/memory"
      const given: NewMemory = { content: "text", type: "fact", tags: ["a"], createdAt: 0 }
      export async function use(): Promise<MemoryAnswer> {
        const memory: MemoryLibrary = await openMemory({ home: "there" })
        const told = await memory.remember(given)
        if (told.outcome !== "refused") told.id.toUpperCase()
        else told.reason.toUpperCase()
        const all = await memory.rememberAll([given], { onOutcome: ({ line, outcome }) => void outcome.at(line) })
        for (const { id, sourceId, line } of all.outcomes) [id ?? "", sourceId ?? ""].join(line.toFixed())
        const answer = await memory.retrieve({ query: "question", audiences: ["team"], askedAt: "2026-01-01" })
        for (const { id, score, via } of answer.memories) [id, ...via].join(score.toFixed(2))
        await memory.close()
        return answer
      }`
    writeFileSync(join(folder, "right.ts"), right)
    expect(await node(folder, compiler, "-p", ".")).toEqual({ code: 0, stdout: "", stderr: "" })
    const wrong = `
      import { openMemory } from "reverie/memory"
      const memory = await openMemory({ hame: "there" })
      await memory.remember({ text: "no content" })
      const { score } = (await memory.retrieve({ query: "q" })).memories[0]
      export const length: string = memory.nothing(score)`
    writeFileSync(join(folder, "wrong.ts"), wrong)
    const refused = await node(folder, compiler, "-p", ".", "--pretty", "false")
    const lines = refused.stdout.match(/^wrong\.ts\((\d+)/gm)?.map((text) => Number(text.slice(9)))
    expect([...new Set(lines)]).toEqual([3, 4, 5, 6])
  })
})

describeWithModel("The example", () => {
  test("runs as it stands and says what it promises", async () => {
    const folder = otherFolder()
    copyFileSync(join(root, "examples/memory.mjs"), join(folder, "memory.mjs"))
    const { code, stdout, stderr } = await node(folder, "memory.mjs")
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout).toMatch(/outcome: 'superseded'/)
    expect(stdout).toMatch(/3 more saved/)
    expect(stdout).toMatch(/Which port does the API use\?[\s\S]*port 9090/)
    expect(stdout).toMatch(/git add \.env[\s\S]*Never commit \.env files/)
    expect(stdout).toMatch(/capital of Peru\? \(nothing worth saying\)/)
  })
})
