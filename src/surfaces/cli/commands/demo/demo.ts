import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { type Command, Option } from "commander"
import sample from "../../../../../assets/demo/demo.json" with { type: "json" }
import { sleep } from "../../../../base/clock.ts"
import { UserError } from "../../../../base/errors.ts"
import { demoEnvironment } from "../../../../config/environment.ts"
import { commandName } from "../../command-name.ts"
import type { CliNeeds } from "../../needs.ts"
import { type DemoFolders, expectedMemories, writeSampleData } from "./sample-data.ts"

interface DemoOptions {
  fast?: boolean
  remove?: boolean
  request?: boolean
}

/** `reverie demo` */
export function demoCommand(program: Command, needs: CliNeeds): void {
  program
    .command("demo")
    .description("walk through remembering, recall, garden, inbox and undo with sample data, in two minutes")
    .option("--fast", "without pauses")
    .option("--remove", "stop its daemon and remove its home at the end")
    .addOption(new Option("--request", "put the sample request into the inbox").hideHelp())
    .action((options: DemoOptions) => (options.request ? request(needs) : demo(needs, options)))
}

/** Loaded only here: it brings the inbox with it. */
async function request(needs: CliNeeds): Promise<void> {
  const { addSampleRequest } = await import("./sample-request.ts")
  await addSampleRequest(needs)
}

/** One step of the walk. */
interface Step {
  title: string
  text?: string
  commands: readonly (readonly string[])[]
}

async function demo(needs: CliNeeds, { fast = false, remove = false }: DemoOptions): Promise<void> {
  const root = mkdtempSync(join(needs.env.temporary, "reverie-demo-"))
  const folders = { home: join(root, "home"), tools: join(root, "tools"), project: join(root, "shop") }
  writeSampleData(folders, needs.clock.now())
  const pause = (ms: number) => (fast ? Promise.resolve() : sleep(needs.clock, ms))
  const run = (args: readonly string[]) => runCommand(needs, folders, args)
  needs.output.say(`The sample data is in ${root}; your own memory is not touched.\n`)
  const started = await run(["start"])
  if (started.code !== 0) throw new UserError("failed", `The demo's daemon did not start: ${started.text}`)
  try {
    await untilRead(needs, run)
    for (const step of sample.steps) await walk(needs, step, { run, pause })
  } finally {
    if (remove) {
      await run(["stop"])
      rmSync(root, { recursive: true, force: true, maxRetries: 5 })
    }
  }
  if (remove) needs.output.say(`That was the demo. ${ownWay(needs)}`)
  else tellEnd(needs, root, folders)
}

/** The daemon reads the sessions soon after its start; the demo checks for them at most this often. */
const mostChecks = 60

async function untilRead({ clock }: CliNeeds, run: Walk["run"]): Promise<void> {
  for (let checks = 0; checks < mostChecks; checks += 1) {
    const { memories } = JSON.parse((await run(["memory", "list", "--all-projects", "--json"])).data)
    if (memories.length >= expectedMemories) return
    await sleep(clock, 250)
  }
}

interface Walk {
  run(args: readonly string[]): Promise<Ran>
  pause(ms: number): Promise<void>
}

async function walk({ output, env }: CliNeeds, step: Step, { run, pause }: Walk): Promise<void> {
  output.data(output.paint("bold", step.title))
  if (step.text !== undefined) output.data(output.paint("dim", step.text))
  await pause(1500)
  for (const command of step.commands) {
    const args = await Promise.all(command.map((word) => filledIn(word, run)))
    const isShown = args[1] !== "--request"
    if (isShown)
      output.data(`${output.paint("cyan", "$")} ${commandName(env.command)} ${args.map(quoted).join(" ")}`)
    await pause(isShown ? 700 : 0)
    const { text } = await run(args)
    if (isShown) output.data(`${text.trimEnd()}\n`)
    await pause(isShown ? 2200 : 0)
  }
}

/** Replaces a placeholder by an id that is known only when the step comes. */
async function filledIn(word: string, run: Walk["run"]): Promise<string> {
  if (word === "LAST") {
    const { requests } = JSON.parse((await run(["inbox", "--json"])).data)
    return requests[0]?.id ?? "none"
  }
  if (word === "STAGING") {
    const { results } = JSON.parse((await run(["search", "staging database port", "--json"])).data)
    return results[0]?.id ?? "none"
  }
  return word
}

function quoted(word: string): string {
  return /^[\w./=-]+$/.test(word) ? word : `"${word}"`
}

interface Ran {
  code: number | null
  /** stdout and stderr, in order. */
  text: string
  /** stdout only. */
  data: string
}

/** Runs a command of this program in the demo's home. */
function runCommand(needs: CliNeeds, folders: DemoFolders, args: readonly string[]): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const columns = Number.isFinite(needs.output.width) ? needs.output.width : 80
    const env = demoEnvironment(folders, { columns, isPainted: needs.output.paint("red", "x") !== "x" })
    const child = spawn(process.execPath, [needs.entry, ...args], {
      cwd: folders.project,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    })
    let text = ""
    let data = ""
    child.stdout.on("data", (part) => {
      text += part
      data += part
    })
    child.stderr.on("data", (part) => {
      text += part
    })
    child.on("error", reject)
    child.on("close", (code) => resolve({ code, text, data }))
  })
}

function ownWay({ env }: Pick<CliNeeds, "env">): string {
  const here = commandName(env.command)
  return `Start with your own memory: ${here} init; open the dashboard: ${here} web`
}

function tellEnd({ output, env }: CliNeeds, root: string, { home }: DemoFolders): void {
  const here = `REVERIE_HOME=${home} ${commandName(env.command)}`
  output.say(
    [
      "That was the demo. The sample data is still there:",
      `  ${here} web      (the dashboard)`,
      `  ${here} tui`,
      `  ${here} status`,
      `Remove it with: ${here} stop && rm -r ${root}`,
      ownWay({ env }),
    ].join("\n"),
  )
}
