import { spawn } from "node:child_process"
import { once } from "node:events"
import { type Bench, type Figure, median, timed } from "../shared/figures.ts"
import { program, startSmallHome } from "./small-home.ts"

/** Each command, and how many times Node's own start it may take. */
const commands: readonly { name: string; args: readonly string[] }[] = [
  { name: "version", args: ["--version"] },
  { name: "status", args: ["status"] },
  { name: "status-json", args: ["status", "--json"] },
  { name: "search", args: ["search", "staging", "port"] },
  { name: "help", args: ["--help"] },
]

/** How long commands take from start to end with the daemon running, beside a Node that does nothing. */
export async function measureStartup(bench: Bench): Promise<Figure[]> {
  const rounds = Number(bench.options.rounds ?? 30)
  const { env } = await startSmallHome(bench)
  const run = (args: readonly string[]) =>
    timed(() => once(spawn(process.execPath, [...args], { env, stdio: "ignore" }), "close"))
  const empty: number[] = []
  const times = commands.map((): number[] => [])
  bench.say(`starting ${commands.length} commands ${rounds} times`)
  for (let round = 0; round < rounds + 3; round += 1) {
    // In turn, so that whatever else the machine does hits them alike; the first ones fill caches.
    const bare = await run(["-e", "0"])
    if (round >= 3) empty.push(bare)
    for (const [index, { args }] of commands.entries()) {
      const time = await run([program, ...args])
      if (round >= 3) times[index]?.push(time)
    }
  }
  const baseline = { name: "node -e 0", value: median(empty) }
  return commands.flatMap(({ name }, index): Figure[] => {
    const value = median(times[index] ?? [])
    return [
      { id: `startup.${name}`, value, unit: "ms", better: "lower", baseline },
      { id: `startup.${name}.ratio`, value: value / baseline.value, unit: "×", better: "lower" },
    ]
  })
}
