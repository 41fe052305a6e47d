import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, test } from "vitest"
import { describeWithModel } from "../support/embedding.ts"
import { throwawayFolder } from "../support/home.ts"
import { createInstallation, type Ended } from "../support/program.ts"

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

describe("The library", () => {
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
    expect(said.wrong).toMatch(/^This cannot be remembered: its content must be a text\.$/)
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
        const answer = await memory.retrieve({ query: "question", audiences: ["team"] })
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
