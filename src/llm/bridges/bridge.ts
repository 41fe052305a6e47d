import { join } from "node:path"
import type { Clock } from "../../base/clock.ts"
import { makePrivateFolder } from "../../base/files/files.ts"
import type { Log } from "../../base/log.ts"
import { within } from "../../base/within.ts"
import type { Environment } from "../../config/environment.ts"
import { type Answer, failedAnswer, type ModelAccess, type Question } from "../choice/access.ts"
import type { Failure } from "../failure.ts"
import { findInPath } from "./find-program.ts"
import { quotable } from "./program-words.ts"
import type { Asked, ReadOutput } from "./read-answer.ts"
import { type Prompt, renderPrompt } from "./render-prompt.ts"
import { type ProgramEnd, type ProgramRun, runProgram } from "./run-program.ts"
import { openScratch, type Scratch } from "./scratch.ts"

/** What a bridge to a program of the user's needs. */
export interface BridgeNeeds {
  clock: Clock
  env: Environment
  /** The program: a name in PATH, or a path. */
  command: string
  /** A folder of ours for this bridge alone; it is made, private to its owner. */
  folder: string
  /** Variables on top of the ones passed on, such as the address of another server. */
  extraEnv?: Readonly<Record<string, string>>
  log: Log
}

/** How the program is signed in. Only a subscription is used: a key would be billed by use, outside every cap. */
export type SignIn = "subscription" | "key" | "none" | "unknown"

/** A way to ask models through a program of the user's, which also tells how that program is signed in. */
export interface BridgeAccess extends ModelAccess {
  signIn(signal: AbortSignal): Promise<SignIn>
}

const aborted: Failure = { kind: "aborted", message: "The call was called off." }

/** One program, as whoever asks it has to know it. */
interface Program {
  name: string
  product: string
  /** What to do where it is not signed in, or signed in with a key. */
  notSignedIn: string
  signedInByKey: string
  signIn(signal: AbortSignal): Promise<SignIn>
  /** How it is run for a question. */
  start(prompt: Prompt, scratch: Scratch, question: Question): Promise<Pick<ProgramRun, "args" | "env">>
  read(stdout: string, told: { asked: Asked; at: number }): ReadOutput
}

/** Asks a question through a program that is there and signed in with a subscription. */
export async function askProgram(needs: BridgeNeeds, program: Program, question: Question): Promise<Answer> {
  const { name, product, notSignedIn, signedInByKey } = program
  if (question.signal.aborted) return failedAnswer(aborted)
  const lack = missing(needs, product)
  if (lack !== undefined) return failedAnswer(lack)
  const signedIn = await program.signIn(question.signal)
  if (question.signal.aborted) return failedAnswer(aborted)
  if (signedIn === "none") return failedAnswer({ kind: "auth", message: notSignedIn })
  if (signedIn === "key") return failedAnswer({ kind: "auth", message: signedInByKey })
  const scratch = openScratch(needs.clock, needs.folder)
  try {
    const prompt = renderPrompt(question)
    const ended = await runProgram(needs, {
      command: needs.command,
      ...(await program.start(prompt, scratch, question)),
      cwd: emptyFolder(needs),
      input: prompt.text,
      signal: question.signal,
    })
    const asked = { ...question, structured: prompt.structured }
    const stdout = "stdout" in ended ? ended.stdout : ""
    const { answer, readings } = program.read(stdout, { asked, at: needs.clock.now() })
    if (ended.outcome === "ended" && answer !== undefined) return answer
    if (ended.outcome !== "aborted") needs.log.warn(`${name} gave no result`, { outcome: ended.outcome })
    return failedAnswer(withoutResult(name, ended), null, readings)
  } finally {
    scratch.remove()
  }
}

const statusMs = 20_000

/** Has a program tell something about itself. */
export function askAbout(
  needs: BridgeNeeds,
  run: Pick<ProgramRun, "args" | "env">,
  signal: AbortSignal,
): Promise<ProgramEnd> {
  const { command } = needs
  return within(needs.clock, statusMs, signal, (either) =>
    runProgram(needs, { command, ...run, cwd: emptyFolder(needs), input: "", signal: either }),
  )
}

/** Why the program cannot be asked at all; undefined where it is there. */
function missing({ command, env }: BridgeNeeds, product: string): Failure | undefined {
  if (findInPath(command, env.variable("PATH") ?? "") !== undefined) return undefined
  return {
    kind: "unreachable",
    message: `${command} was not found; install ${product}, or set the path of its program.`,
  }
}

/** The failure of a program that ended without telling what came of the question. */
function withoutResult(program: string, ended: ProgramEnd): Failure {
  switch (ended.outcome) {
    case "aborted":
      return aborted
    case "missing":
      return {
        kind: "unreachable",
        message: `${program} could not be started; run \`${program}\` to see why.`,
      }
    case "too-much":
      return { kind: "malformed", message: `${program} answered far more than was asked; ask again.` }
    case "ended":
      return endedEarly(program, ended)
  }
}

function endedEarly(
  program: string,
  { code, killedBy, stderr }: Extract<ProgramEnd, { outcome: "ended" }>,
): Failure {
  if (killedBy !== null) {
    return { kind: "malformed", message: `${program} was ended by ${killedBy}; ask again.` }
  }
  const words = quotable(stderr)
  if (/unknown option|unexpected argument/i.test(stderr)) {
    return { kind: "unreachable", message: `This version of ${program} is too old (${words}); update it.` }
  }
  const said = words === "" ? `ended with code ${code} and gave no answer` : `gave no answer (${words})`
  return { kind: "malformed", message: `${program} ${said}; run \`${program}\` to see whether it works.` }
}

/** The same empty folder each time: its name is part of what some programs tell the model. */
function emptyFolder({ folder }: BridgeNeeds): string {
  const empty = join(folder, "empty")
  makePrivateFolder(empty)
  return empty
}
