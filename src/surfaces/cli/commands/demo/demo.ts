import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { type Command, Option } from "commander"
import { sleep } from "../../../../base/clock.ts"
import { UserError } from "../../../../base/errors.ts"
import { demoEnvironment } from "../../../../config/environment.ts"
import { calledAs } from "../../called.ts"
import type { CliNeeds } from "../../needs.ts"
import { type DemoFolders, learnedAtLeast, writeSampleLife } from "./sample-life.ts"

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

async function request(needs: CliNeeds): Promise<void> {
  const { addSampleRequest } = await import("./sample-request.ts")
  await addSampleRequest(needs)
}

/** One step of the walk: what is said, and the commands that are run for it. */
interface Step {
  title: string
  told?: string
  commands: readonly (readonly string[])[]
}

const steps: readonly Step[] = [
  {
    title: "1. Two coding agents have been at work: Claude Code and Codex",
    told: "Reverie reads their sessions by itself. Without a model it goes by rules; with one it understands more.",
    commands: [["sessions"], ["memory", "list", "--all-projects"]],
  },
  {
    title: "2. Remember",
    told: "An update replaces what was true before. The same thing in other words makes a memory stronger.",
    commands: [
      ["add", "The staging database listens on port 5432", "--global"],
      ["add", "The staging database now listens on port 5433", "--global"],
      ["add", "The staging database now listens on port 5433.", "--global"],
    ],
  },
  {
    title: "3. Two memories that contradict each other are shown to you",
    commands: [
      ["add", "We never deploy on Fridays", "--global"],
      ["memory", "import", "old-notes.md", "--no-project"],
      ["conflicts"],
    ],
  },
  {
    title: "4. Recall",
    told: "Search finds the newest truth. In a session the same comes up by itself.",
    commands: [
      ["search", "which port does the staging database use"],
      ["recall", "Can you connect to the staging database for me?"],
    ],
  },
  {
    title: "5. Garden: a cycle looks after the memory, and merges what says the same",
    commands: [
      ["add", "The nightly backup goes to the second region", "--global", "--verbatim"],
      ["add", "The nightly backup goes to the second region.", "--global", "--verbatim"],
      ["wake", "--wait"],
    ],
  },
  {
    title: "6. Inbox: what leaves your machine needs your approval first",
    told: "This request is part of the sample; a model would have asked in the same way.",
    commands: [["demo", "--request"], ["inbox"], ["inbox", "deny", "LAST", "not before the release"]],
  },
  {
    title: "7. Undo",
    commands: [["memory", "forget", "STAGING"], ["undo"], ["status"]],
  },
]

async function demo(needs: CliNeeds, { fast = false, remove = false }: DemoOptions): Promise<void> {
  const root = mkdtempSync(join(needs.env.temporary, "reverie-demo-"))
  const folders = { home: join(root, "home"), tools: join(root, "tools"), project: join(root, "shop") }
  writeSampleLife(folders, needs.clock.now())
  const pause = (ms: number) => (fast ? Promise.resolve() : sleep(needs.clock, ms))
  const run = (args: readonly string[]) => runCommand(needs, folders, args)
  needs.output.say(`The sample data is in ${root}; your own memory is not touched.\n`)
  const started = await run(["start"])
  if (started.code !== 0) throw new UserError("failed", `The demo's daemon does not start: ${started.text}`)
  try {
    await untilRead(needs, run)
    for (const step of steps) await walk(needs, step, { run, pause })
  } finally {
    if (remove) {
      await run(["stop"])
      rmSync(root, { recursive: true, force: true, maxRetries: 5 })
    }
  }
  if (remove) needs.output.say(`That was it. ${ownWay(needs)}`)
  else tellEnd(needs, root, folders)
}

/** The daemon reads the sessions by itself, a moment after its start; nobody waits longer than this for it. */
const mostLooks = 60

async function untilRead({ clock }: CliNeeds, run: Walk["run"]): Promise<void> {
  for (let looks = 0; looks < mostLooks; looks += 1) {
    const { memories } = JSON.parse((await run(["memory", "list", "--all-projects", "--json"])).data)
    if (memories.length >= learnedAtLeast) return
    await sleep(clock, 250)
  }
}

interface Walk {
  run(args: readonly string[]): Promise<Ran>
  pause(ms: number): Promise<void>
}

async function walk({ output, env }: CliNeeds, step: Step, { run, pause }: Walk): Promise<void> {
  output.data(output.paint("bold", step.title))
  if (step.told !== undefined) output.data(output.paint("dim", step.told))
  await pause(1500)
  for (const command of step.commands) {
    const args = await Promise.all(command.map((word) => filledIn(word, run)))
    const isShown = args[1] !== "--request"
    if (isShown)
      output.data(`${output.paint("cyan", "$")} ${calledAs(env.command)} ${args.map(quoted).join(" ")}`)
    await pause(isShown ? 700 : 0)
    const { text } = await run(args)
    if (isShown) output.data(`${text.trimEnd()}\n`)
    await pause(isShown ? 2200 : 0)
  }
}

/** Ids that are known only when the step comes. */
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
  /** All that it said, in order. */
  text: string
  /** What stood on standard output. */
  data: string
}

/** Runs a command of this very program in the sample's home. */
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
  const here = calledAs(env.command)
  return `Your own begins with: ${here} init; look at it with: ${here} web`
}

function tellEnd({ output, env }: CliNeeds, root: string, { home }: DemoFolders): void {
  const here = `REVERIE_HOME=${home} ${calledAs(env.command)}`
  output.say(
    [
      "That was it. The sample data is still there:",
      `  ${here} web      (the dashboard)`,
      `  ${here} tui`,
      `  ${here} status`,
      `Remove it with: ${here} stop && rm -r ${root}`,
      ownWay({ env }),
    ].join("\n"),
  )
}
