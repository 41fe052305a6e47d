import { appendFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { expect, onTestFinished, test } from "vitest"
import type {
  Progress,
  RawTurn,
  SessionSource,
  SessionUpdate,
} from "../../src/coding/sessions/session-source.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"
import type { SampleTool } from "../../testkit/sessions/sample-tools.ts"
import { fastestFolder } from "../../testkit/setup/fastest-folder.ts"

/** What the programs, their hooks and their subagents wrote, and nobody said. */
const notSaid =
  /MEMORY-INJECTED|VENDOR-PROMPT|BY-THE-PROGRAM|SUMMARY-OF-EARLIER|THOUGHT-ONLY|environment_context|command-name/

/** What every source of sessions must do, whichever tool's it is. */
export function sessionSourceContract(tool: SampleTool): void {
  const openSample = () => {
    // Files are cut and written anew thousands of times, and a disk is waited for each time.
    const home = join(throwawayFolder(onTestFinished, fastestFolder()), "tool")
    tool.write(home)
    return { home, source: tool.open(home) }
  }

  test("a machine without the tool has no sessions", async () => {
    expect(await tool.open(join(throwawayFolder(), "nothing")).locations(0)).toEqual([])
  })

  test("it finds every session, who said what, and how it stands", async () => {
    const { source } = openSample()
    const found = (await readAll(source)).sort((a, b) => (a.nativeId < b.nativeId ? -1 : 1))
    expect(
      found.map(({ nativeId, folder, phase, turns }) => ({
        id: nativeId,
        folder,
        phase,
        said: saidIn(turns),
      })),
    ).toEqual(
      tool.sessions.map((session) => ({
        ...session,
        said: session.said.map(([role, text]) => [role, text.endsWith("…") ? beginsWith(text) : text]),
      })),
    )
    for (const { startedAt, turns } of found) {
      expect(startedAt).toBeLessThanOrEqual(Math.min(...turns.map(({ at }) => at)))
      expect(new Set(turns.map(({ key }) => key)).size).toBe(turns.length)
    }
  })

  test("nothing that a program, a hook or a subagent put there counts as said", async () => {
    const news = await readAll(openSample().source)
    expect(news.flatMap(({ turns }) => turns.filter(({ text }) => notSaid.test(text)))).toEqual([])
  })

  test("reading again gives the same keys, and going on from the end gives nothing", async () => {
    const { source } = openSample()
    const first = await readAll(source)
    expect(await readAll(source)).toEqual(first)
    for (const { id } of await source.locations(0)) {
      const { turns, end } = await readOn(source, id, undefined)
      const again = await readOn(source, id, end)
      const known = new Set(turns.map(({ key }) => key))
      expect(again.turns.filter(({ key }) => !known.has(key))).toEqual([])
    }
  })

  test("what did not change since a moment is not looked at", async () => {
    const { source } = openSample()
    expect(await source.locations(Number.MAX_SAFE_INTEGER)).toEqual([])
  })

  if (tool.growing !== undefined) growingContract(openSample, tool.growing)
}

/** What holds for files that grow line by line. */
function growingContract(openSample: () => { home: string; source: SessionSource }, path: string): void {
  const openGrowing = () => {
    const { home, source } = openSample()
    const file = join(home, path)
    return { source, file, whole: readFileSync(file) }
  }

  test("cut at any byte, the parts together give the same turns", { timeout: 120_000 }, async () => {
    const { source, file, whole } = openGrowing()
    const expected = (await readOn(source, file, undefined)).turns
    // Every byte of a small file; of a larger one as many locations.
    const step = Math.ceil(whole.length / 2100)
    for (let cut = 0; cut <= whole.length; cut += step) {
      writeFileSync(file, whole.subarray(0, cut))
      const first = await readOn(source, file, undefined)
      appendFileSync(file, whole.subarray(cut))
      const second = await readOn(source, file, first.end)
      expect([...first.turns, ...second.turns]).toEqual(expected)
    }
  })

  test("cut at many locations at once, too", { timeout: 120_000 }, async () => {
    const { source, file, whole } = openGrowing()
    const expected = (await readOn(source, file, undefined)).turns
    const cuts = fc.array(fc.integer({ min: 0, max: whole.length }), { maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(cuts, async (locations) => {
        const turns: RawTurn[] = []
        let end: Progress | undefined
        for (const cut of [...locations.sort((a, b) => a - b), whole.length]) {
          writeFileSync(file, whole.subarray(0, cut))
          const read = await readOn(source, file, end)
          turns.push(...read.turns)
          end = read.end
        }
        expect(turns).toEqual(expected)
      }),
      { numRuns: 40 },
    )
  })

  test("lines it does not know are passed over", async () => {
    const { source, file, whole } = openGrowing()
    const expected = saidIn((await readOn(source, file, undefined)).turns)
    const noise = [
      "",
      "no json",
      "{}",
      "[]",
      "42",
      '{"type":"of the future","timestamp":"2026-11-15T06:16:41Z"}',
    ]
    const lines = whole.toString("utf8").trimEnd().split("\n")
    writeFileSync(file, `${lines.flatMap((line) => [line, ...noise]).join("\n")}\n`)
    expect(saidIn((await readOn(source, file, undefined)).turns)).toEqual(expected)
  })

  test("a file that was written anew is read again under the same keys, also when it is as long as before", async () => {
    const { source, file, whole } = openGrowing()
    const { turns, end } = await readOn(source, file, undefined)
    truncateSync(file, Math.floor(whole.length / 2))
    const half = await readOn(source, file, end)
    expect(half.turns).toEqual(turns.slice(0, half.turns.length))
    const lines = whole.toString("utf8").trimEnd().split("\n")
    const last = lines.pop() ?? ""
    writeFileSync(file, `${[...lines, "x".repeat(Buffer.byteLength(last))].join("\n")}\n`)
    const again = await readOn(source, file, end)
    expect(again.end.position).toBe(end.position)
    expect(again.turns.length).toBeGreaterThan(0)
    expect(again.turns).toEqual(turns.slice(0, again.turns.length))
  })

  test("a file that vanishes is no longer there, and reading it says so", async () => {
    const { source, file } = openGrowing()
    rmSync(file)
    expect((await source.locations(0)).map(({ id }) => id)).not.toContain(file)
    await expect(source.read(file, undefined)).rejects.toThrow(/ENOENT/)
  })
}

function beginsWith(text: string) {
  return expect.stringMatching(new RegExp(`^${text.slice(0, -1).replaceAll(/[[\]]/g, "\\$&")}`))
}

function saidIn(turns: readonly RawTurn[]): [string, string][] {
  return turns.map(({ role, text }) => [role, text.trim()])
}

async function readAll(source: SessionSource): Promise<(SessionUpdate & { turns: RawTurn[] })[]> {
  const all: SessionUpdate[] = []
  for (const { id } of await source.locations(0)) {
    const { news, turns } = await readOn(source, id, undefined)
    if (news) all.push({ ...news, turns })
  }
  return all
}

/** Reads a location to its end. */
async function readOn(source: SessionSource, location: string, from: Progress | undefined) {
  const turns: RawTurn[] = []
  let end = from
  let news: SessionUpdate | undefined
  for (let more = true; more; ) {
    const reading = await source.read(location, end)
    news = reading.update ?? news
    turns.push(...(reading.update?.turns ?? []))
    // As it is kept in between: plain data.
    end = JSON.parse(JSON.stringify({ position: reading.position, state: reading.state ?? null }))
    more = reading.more
  }
  return { turns, news, end: end ?? { position: 0, state: null } }
}
