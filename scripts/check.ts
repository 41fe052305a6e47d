import { spawn } from "node:child_process"
import { availableParallelism } from "node:os"

/** Everything `npm run check` runs: a name, the program in node_modules/.bin, and its arguments. */
const steps: [string, string, string[]][] = [
  ["types", "tsc", ["--noEmit"]],
  ["types of the dashboard", "tsc", ["--noEmit", "-p", "web"]],
  ["lint and format", "biome", ["check", "--error-on-warnings", "."]],
  [
    "dependency direction",
    "depcruise",
    [
      "src",
      "web",
      "test",
      "testkit",
      "bench",
      "scripts",
      "--config",
      ".dependency-cruiser.mjs",
      "--output-type",
      "err-long",
    ],
  ],
  ["folders and tables", "node", ["scripts/check-house.ts"]],
  ["unused code", "knip", []],
  // What only tests use is unused too, but for exports marked @internal.
  ["code that only tests use", "knip", ["--production", "--include", "files,exports,types"]],
  ["lockfile", "node", ["scripts/complete-lockfile.ts", "--check"]],
  ["vector kernel", "node", ["scripts/assemble-kernel.ts", "--check"]],
  ["generated documents", "node", ["scripts/generate-docs.ts", "--check"]],
]

interface Result {
  name: string
  ok: boolean
  output: string
  seconds: number
}

function run([name, program, args]: (typeof steps)[number]): Promise<Result> {
  const started = performance.now()
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] })
    let output = ""
    child.stdout.on("data", (chunk) => {
      output += chunk
    })
    child.stderr.on("data", (chunk) => {
      output += chunk
    })
    child.on("error", (error) => resolve({ name, ok: false, output: error.message, seconds: 0 }))
    child.on("close", (code) => {
      resolve({ name, ok: code === 0, output, seconds: (performance.now() - started) / 1000 })
    })
  })
}

async function runAll(): Promise<Result[]> {
  const waiting = [...steps]
  const results: Result[] = []
  const worker = async () => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
      const result = await run(step)
      results.push(result)
      console.log(`${result.ok ? "ok  " : "FAIL"} ${result.name} (${result.seconds.toFixed(1)} s)`)
      if (!result.ok) console.log(result.output.trimEnd())
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, worker))
  return results
}

const results = await runAll()
process.exitCode = results.every((result) => result.ok) ? 0 : 1
