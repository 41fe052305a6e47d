import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe } from "vitest"
import { systemClock } from "../../src/base/clock.ts"
import { openLog } from "../../src/base/log.ts"
import { readEnvironment } from "../../src/config/environment.ts"
import type { BridgeAccess, BridgeOptions } from "../../src/llm/bridges/bridge.ts"
import type { Question, ToolShape } from "../../src/llm/choice/access.ts"
import type { ModelServer } from "../../testkit/model-server/model-server.ts"
import { serveModel } from "../../testkit/model-server/serve-model.ts"
import type { Step } from "../../testkit/model-server/step.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"

/** Where scripts/install-clients puts the real programs. */
export const clientsFolder = join(import.meta.dirname, "../../node_modules/.cache/clients/bin")

const areThere = existsSync(join(clientsFolder, "claude")) && existsSync(join(clientsFolder, "codex"))
/** Tests with the real programs; in CI they may not be missing. */
export const describeWithClients = describe.skipIf(!areThere && process.env.CI !== "true")

/** A user with a program of theirs, a model server in place of the provider's, and our bridge between them. */
export interface BridgeWorld {
  server: ModelServer
  access: BridgeAccess
  /** The user's home, with settings, hooks, instructions and skills that must not be seen to matter. */
  home: string
  /** Our own folder. */
  folder: string
  ask(question?: Partial<Question>): ReturnType<BridgeAccess["ask"]>
  /** Everything the program was started with, one argument a line, and its whole environment. */
  startedWith(): { args: string; env: string }
  /** The process groups of all runs so far. */
  groups(): number[]
  logged(): string
  /** How this provider's model answers in our form. */
  structured(say: string, calls: readonly { tool: string; input: string }[]): Step
  signOut(): void
  signInByKey(): void
}

/** What the two worlds differ in. */
export interface ProgramOfTheirs {
  name: "claude" | "codex"
  open(needs: BridgeOptions): BridgeAccess
  /** Fills the user's home. */
  furnish(home: string): void
  /** Arguments the wrapper adds for the program's questions, to send them to the server. */
  moreArguments(server: ModelServer): string
  extraEnv(server: ModelServer): Promise<Record<string, string>>
  structured: BridgeWorld["structured"]
  signOut(home: string): void
  signInByKey(home: string): void
}

/** Touched by whatever of the user's must not run. */
export const firedFile = "FIRED"
/** Written into whatever of the user's must not be read. */
export const userMark = "USER-INSTRUCTIONS-MARK"
/** Must be found nowhere. */
export const plantedKey = "sk-planted-4Zp9QmXv27LrTb8KcWd1"
export const plantedToken = "sk-ant-oat01-planted-9vQ2xLr8TzKm4WbN"

const weather: ToolShape = {
  name: "weather",
  description: "Tells the weather of a place.",
  schema: { type: "object", properties: { place: { type: "string" } }, required: ["place"] },
}

/** Makes a world; with `instead`, a shell script stands where the user's program should. */
export async function createBridgeWorld(theirs: ProgramOfTheirs, instead?: string): Promise<BridgeWorld> {
  const server = await serveModel()
  const home = throwawayFolder()
  const seen = throwawayFolder()
  const folder = join(throwawayFolder(), "bridge")
  theirs.furnish(home)
  const lines: string[] = []
  const needs: BridgeOptions = {
    clock: systemClock,
    env: readEnvironment({
      PATH: process.env.PATH,
      HOME: home,
      LANG: "C.UTF-8",
      CODEX_HOME: join(home, ".codex"),
      ANTHROPIC_API_KEY: plantedKey,
      OPENAI_API_KEY: plantedKey,
      SOMETHING_ELSE: "not for others",
    }),
    command: writeWrapper(seen, theirs.name, instead ?? realProgram(theirs, server)),
    folder,
    extraEnv: await theirs.extraEnv(server),
    log: openLog({ clock: systemClock, level: "debug", write: (line) => lines.push(line) }),
  }
  const access = theirs.open(needs)
  const read = (name: string) => (existsSync(join(seen, name)) ? readFileSync(join(seen, name), "utf8") : "")
  return {
    server,
    access,
    home,
    folder,
    ask: (question) => access.ask({ ...plainQuestion(theirs.name), ...question }),
    startedWith: () => ({ args: read("args"), env: read("env") }),
    groups: () => read("pids").trim().split("\n").filter(Boolean).map(Number),
    logged: () => lines.join("\n"),
    structured: theirs.structured,
    signOut: () => theirs.signOut(home),
    signInByKey: () => theirs.signInByKey(home),
  }
}

/** A script in the program's place, which notes what it is started with. */
function writeWrapper(seen: string, name: string, script: string): string {
  const file = join(seen, name)
  const notes = `printf '%s\\n' "$@" >>"${seen}/args"\nenv >>"${seen}/env"\necho $$ >>"${seen}/pids"`
  writeFileSync(file, `#!/bin/sh\n${notes}\n${script}\n`)
  chmodSync(file, 0o755)
  return file
}

/** Becomes the real program; what asks for models or answers goes to the server. */
function realProgram(theirs: ProgramOfTheirs, server: ModelServer): string {
  const program = `exec "${join(clientsFolder, theirs.name)}" "$@"`
  return `case "$1" in\nexec | debug) ${program} ${theirs.moreArguments(server)} ;;\n*) ${program} ;;\nesac`
}

function plainQuestion(name: "claude" | "codex"): Question {
  return {
    model: name === "claude" ? "claude-sonnet-4-5" : "gpt-5.5",
    system: "You are a gardener. SYSTEM-MARK",
    messages: [{ role: "user", text: "How are the roses? PROMPT-MARK" }],
    tools: [],
    toolChoice: "auto",
    maxOutputTokens: 4000,
    signal: new AbortController().signal,
  }
}

export const withTools = { tools: [weather], toolChoice: "auto" } as const

/** Writes a file with its folders. */
export function furnishFile(file: string, text: string): void {
  mkdirSync(join(file, ".."), { recursive: true })
  writeFileSync(file, text, { mode: 0o600 })
}
