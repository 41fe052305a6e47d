import { spawn } from "node:child_process"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { z } from "zod"
import { type Bench, type Benchmark, type Figure, timed } from "../shared/figures.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** How many attacks on the real program were tried and how many succeeded. The cases are the tests in test/attack. */
export const attack: Benchmark = {
  about: "attacks on the real program, tried and succeeded, by kind (the tests in test/attack)",
  options: {
    only: { type: "string", help: "one kind: the name of a file in test/attack, without .test.ts" },
  },
  async run(bench) {
    const { only } = bench.options
    return attackFigures(bench, typeof only === "string" ? [only] : [""])
  },
}

/** Runs the attacks of some kinds, or of all, and counts them. */
export async function attackFigures(
  { say, atEnd }: Pick<Bench, "say" | "atEnd">,
  names: readonly string[],
): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), "reverie-attack-"))
  atEnd(() => rm(folder, { recursive: true, force: true }))
  const report = join(folder, "report.json")
  say("attacking; this takes minutes")
  const filters = names.map((name) => `test/attack/${name}`)
  const ms = await timed(() => runTests(filters, report, atEnd))
  const kinds = countByKind(reportSchema.parse(JSON.parse(await readFile(report, "utf8"))))
  for (const name of kinds.flatMap(({ succeeded }) => succeeded)) say(`succeeded: ${name}`)
  return figuresOf(kinds, ms)
}

/** Runs the tests. Failing tests are a result; a runner that wrote no report is found by reading it. */
function runTests(
  filters: readonly string[],
  report: string,
  atEnd: (cleanUp: () => void) => void,
): Promise<void> {
  const args = ["run", ...filters, "--reporter=json", `--outputFile=${report}`]
  return new Promise((done, failed) => {
    const child = spawn("vitest", args, { cwd: root, stdio: ["ignore", "ignore", "inherit"] })
    atEnd(() => void child.kill("SIGTERM"))
    child.on("error", failed)
    child.on("close", () => done())
  })
}

const reportSchema = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      message: z.string().optional(),
      assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })),
    }),
  ),
})

interface Kind {
  name: string
  tried: number
  leftOut: number
  succeeded: string[]
}

function countByKind({ testResults }: z.infer<typeof reportSchema>): Kind[] {
  return testResults.map(({ name, message, assertionResults }) => {
    const kind = basename(name, ".test.ts")
    if (assertionResults.length === 0)
      throw new Error(`${kind} could not be run: ${message ?? "no test in it"}`)
    const named = (status: string) => assertionResults.filter((result) => result.status === status)
    const succeeded = named("failed").map(({ fullName }) => `${kind}: ${fullName}`)
    const tried = named("passed").length + succeeded.length
    return { name: kind, tried, leftOut: assertionResults.length - tried, succeeded }
  })
}

function figuresOf(kinds: readonly Kind[], ms: number): Figure[] {
  const sum = (count: (kind: Kind) => number) => kinds.reduce((total, kind) => total + count(kind), 0)
  const attacks = { unit: "attacks" }
  return [
    { id: "attacks-tried", value: sum(({ tried }) => tried), ...attacks, better: "higher" },
    { id: "attacks-succeeded", value: sum(({ succeeded }) => succeeded.length), ...attacks, better: "lower" },
    { id: "attacks-left-out", value: sum(({ leftOut }) => leftOut), ...attacks, better: "lower" },
    ...kinds.flatMap(({ name, tried, succeeded }): Figure[] => [
      { id: `tried.${name}`, value: tried, ...attacks, better: "higher" },
      { id: `succeeded.${name}`, value: succeeded.length, ...attacks, better: "lower" },
    ]),
    { id: "seconds", value: ms / 1000, unit: "s", better: "lower" },
  ]
}
