import { type ChildProcess, spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

const adder = fileURLToPath(new URL("./adder.ts", import.meta.url))

interface AddersOptions {
  home: string
  databaseUrl: string
  processes: number
  addsEach: number
  /** How many times each process is killed on its way, at random moments. */
  killsEach: number
  /** A number from 0 up to 1, to choose the moments. */
  random(): number
  /** Called after each acknowledged add with how many there are. */
  onAcknowledged?: (total: number) => void
}

/** What the processes were told, and what was done to them. */
interface Added {
  /** Texts whose add was acknowledged. */
  acknowledged: string[]
  kills: number
}

/** Runs several processes that add at the same time, killing each at random and letting it go on. */
export async function runAdders(options: AddersOptions): Promise<Added> {
  let total = 0
  const count = () => {
    total += 1
    options.onAcknowledged?.(total)
  }
  const results = await Promise.all(
    Array.from({ length: options.processes }, (_, index) => runAdder(options, `w${index}`, count)),
  )
  return {
    acknowledged: results.flatMap((result) => result.acknowledged),
    kills: results.reduce((sum, result) => sum + result.kills, 0),
  }
}

async function runAdder(options: AddersOptions, name: string, onAcknowledged: () => void): Promise<Added> {
  const acknowledged: string[] = []
  let kills = 0
  while (acknowledged.length < options.addsEach) {
    const left = options.addsEach - acknowledged.length
    // Not too near the end, so that the process really dies on its way.
    let addsToLive =
      kills < options.killsEach ? 1 + Math.floor(options.random() * left * 0.5) : Number.POSITIVE_INFINITY
    const child = startAdder(options, name, acknowledged.length)
    const before = acknowledged.length
    const complaint = await readUntil(child, (text) => {
      acknowledged.push(text)
      onAcknowledged()
      addsToLive -= 1
      if (addsToLive === 0 && child.kill("SIGKILL")) kills += 1
    })
    if (acknowledged.length === before) throw new Error(`${name} makes no progress: ${complaint}`)
  }
  return { acknowledged, kills }
}

function startAdder(options: AddersOptions, name: string, from: number): ChildProcess {
  const args = [adder, name, String(from), String(options.addsEach)]
  const env = {
    ...process.env,
    REVERIE_HOME: options.home,
    REVERIE_DATABASE_URL: options.databaseUrl,
  }
  return spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "pipe"] })
}

/**
 * Hands over every whole line; what a dying process half wrote was never acknowledged. Gives what the process
 * complained about.
 */
function readUntil(child: ChildProcess, onLine: (text: string) => void): Promise<string> {
  return new Promise((resolve, reject) => {
    if (child.stdout === null || child.stderr === null) return reject(new Error("no output"))
    createInterface({ input: child.stdout }).on("line", onLine)
    let complaint = ""
    child.stderr.on("data", (part) => {
      complaint += part
    })
    child.on("error", reject)
    child.on("close", () => resolve(complaint))
  })
}
