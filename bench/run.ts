// npm run bench -- NAME [--json] [options]: runs one benchmark and prints its figures.
import { parseArgs } from "node:util"
import { systemClock } from "../src/base/clock.ts"
import { exitCodeOf, exitCodes, messageOf, UserError } from "../src/base/errors.ts"
import { openOutput } from "../src/surfaces/cli/output.ts"
import { openMeter } from "../src/surfaces/cli/view/progress-meter.ts"
import type { Bench, Benchmark, TellProgress } from "./shared/figures.ts"
import { reportJson, reportTable } from "./shared/report.ts"

/** Every benchmark by its name, loaded when it is asked for. */
const benchmarks: Record<string, () => Promise<Benchmark>> = {
  attack: async () => (await import("./attack/run.ts")).attack,
  budget: async () => (await import("./budget/run.ts")).budget,
  chat: async () => (await import("./chat/run.ts")).chat,
  cluster: async () => (await import("./cluster/run.ts")).cluster,
  contradiction: async () => (await import("./contradiction/run.ts")).contradiction,
  crash: async () => (await import("./crash/run.ts")).crash,
  discovery: async () => (await import("./discovery/run.ts")).discovery,
  embed: async () => (await import("./embed/run.ts")).embed,
  extract: async () => (await import("./extract/run.ts")).extract,
  garden: async () => (await import("./garden/run.ts")).garden,
  hook: async () => (await import("./hook/run.ts")).hook,
  languages: async () => (await import("./languages/run.ts")).languages,
  "loop-delay": async () => (await import("./loop-delay/run.ts")).loopDelay,
  latency: async () => (await import("./latency/run.ts")).latency,
  month: async () => (await import("./month/run.ts")).month,
  precision: async () => (await import("./precision/run.ts")).precision,
  privacy: async () => (await import("./privacy/run.ts")).privacy,
  recall: async () => (await import("./recall/run.ts")).recall,
  "recall-turn": async () => (await import("./recall-turn/run.ts")).recallTurn,
  safety: async () => (await import("./safety/run.ts")).safety,
  surfaces: async () => (await import("./surfaces/run.ts")).surfaces,
  updates: async () => (await import("./updates/run.ts")).updates,
  "topic-shift": async () => (await import("./topic-shift/run.ts")).topicShift,
}

const frameOptions = {
  json: { type: "boolean", help: "print one JSON object instead of a table" },
  help: { type: "boolean", help: "say what there is" },
} as const

const usage = "npm run bench -- NAME [--json] [options]"

async function main(args: string[]): Promise<number> {
  const name = args.find((arg) => !arg.startsWith("-"))
  if (name === undefined && args.includes("--help")) return print(await helpText(Object.keys(benchmarks)))
  const load = name === undefined ? undefined : benchmarks[name]
  if (name === undefined || load === undefined) return refuse(unknownName(name))
  const benchmark = await load()
  const parsed = readOptions(benchmark, args)
  if (typeof parsed === "string") return refuse(parsed)
  if (parsed.help === true) return print(await helpText([name]))
  const figures = await runBenchmark(benchmark, parsed)
  return print(parsed.json === true ? reportJson(name, figures) : reportTable(name, figures))
}

function print(text: string): number {
  process.stdout.write(`${text}\n`)
  return exitCodes.done
}

function refuse(sentence: string): number {
  process.stderr.write(`${sentence}\n`)
  return exitCodes.usage
}

function unknownName(name: string | undefined): string {
  const there = Object.keys(benchmarks).join(", ")
  const wrong = name === undefined ? "Name the benchmark to run" : `There is no benchmark named ${name}`
  return `${wrong}; there are: ${there} (${usage}).`
}

/** The options given, or one sentence about what is wrong with them. */
function readOptions(benchmark: Benchmark, args: string[]): Bench["options"] | string {
  try {
    const options = { ...benchmark.options, ...frameOptions }
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    if (positionals.length > 1) return `One benchmark at a time: ${usage}.`
    return values
  } catch (error) {
    const [wrong] = messageOf(error).split(". ")
    return `${wrong}; --help says what there is.`
  }
}

async function helpText(names: readonly string[]): Promise<string> {
  const loaded = await Promise.all(
    names.map(async (name) => ({ name, benchmark: await benchmarks[name]?.() })),
  )
  const sections = loaded.map(({ name, benchmark }) =>
    [`${name}: ${benchmark?.about}`, ...optionLines(benchmark?.options ?? {})].join("\n"),
  )
  return [`Usage: ${usage}`, optionLines(frameOptions).join("\n"), ...sections].join("\n\n")
}

function optionLines(options: Benchmark["options"]): string[] {
  return Object.entries(options).map(([name, { type, help }]) => {
    const shown = type === "string" ? `--${name} VALUE` : `--${name}`
    return `  ${shown.padEnd(14)}  ${help}`
  })
}

async function runBenchmark(benchmark: Benchmark, options: Bench["options"]) {
  const ending = createEnding()
  const endNow = (reason: string, exitCode: number) => {
    say(`${reason}, cleaning up`)
    void ending.end().finally(() => process.exit(exitCode))
  }
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => endNow("interrupted", exitCodes.interrupted))
  }
  process.once("uncaughtException", (error) => endNow(error.stack ?? messageOf(error), exitCodes.failed))
  try {
    return await benchmark.run({ say, progress: terminalProgress(), options, atEnd: ending.atEnd })
  } catch (error) {
    // After an interruption the run fails because its databases are taken away: only the ending counts.
    if (ending.hasBegun()) await new Promise(() => {})
    throw error
  } finally {
    await ending.end()
  }
}

let hasProgress = false

function say(text: string): void {
  process.stderr.write(`${hasProgress ? "\r\u001b[2K" : ""}${text}\n`)
  hasProgress = false
}

/** The line that the program itself shows while it imports; nothing where there is no terminal. */
function terminalProgress(): TellProgress {
  const output = openOutput(process.stdout, process.stderr)
  let now: { doing: string; meter: ReturnType<typeof openMeter> } | undefined
  return (doing, done, of) => {
    if (now?.doing !== doing)
      now = { doing, meter: openMeter({ output, clock: systemClock }, { doing, unit: `of ${of}` }) }
    if (done >= of) now.meter.end()
    else now.meter.update({ done, share: done / of })
    hasProgress = done < of
  }
}

/** Cleans up once, the newest first, whatever goes wrong on the way. */
function createEnding() {
  const cleanUps: (() => void | Promise<void>)[] = []
  let ended: Promise<void> | undefined
  async function cleanAll(): Promise<void> {
    for (let cleanUp = cleanUps.pop(); cleanUp !== undefined; cleanUp = cleanUps.pop()) {
      try {
        await cleanUp()
      } catch (error) {
        say(`cleaning up failed: ${messageOf(error)}`)
      }
    }
  }
  return {
    atEnd(cleanUp: () => void | Promise<void>) {
      cleanUps.push(cleanUp)
    },
    end: () => (ended ??= cleanAll()),
    hasBegun: () => ended !== undefined,
  }
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  say(error instanceof UserError ? error.message : error instanceof Error ? `${error.stack}` : String(error))
  process.exitCode = exitCodeOf(error)
}
