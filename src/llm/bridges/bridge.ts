import { join } from "node:path"
import type { Clock } from "../../base/clock.ts"
import { makePrivateFolder } from "../../base/files/files.ts"
import type { Log } from "../../base/log.ts"
import { withTimeout } from "../../base/with-timeout.ts"
import type { Environment } from "../../config/environment.ts"
import { type Answer, failedAnswer, type ModelAccess, type Question } from "../choice/access.ts"
import type { Failure } from "../failure.ts"
import { findInPath } from "./find-program.ts"
import { quotable } from "./program-messages.ts"
import type { AskedQuestion, ProgramOutput } from "./read-answer.ts"
import { type Prompt, renderPrompt } from "./render-prompt.ts"
import { type ProgramEnd, type ProgramRun, runProgram } from "./run-program.ts"
import { openScratch, type Scratch } from "./scratch.ts"

export interface BridgeOptions {
  clock: Clock
  env: Environment
  /** The program: a name in PATH, or a path. */
  command: string
  /** This bridge's own folder. It is created, private to its owner. */
  folder: string
  /** Additional variables, such as the address of another server. */
  extraEnv?: Readonly<Record<string, string>>
  log: Log
}

/** How the program is signed in. Only a subscription is used: a key is billed by use, outside our cost cap. */
export type SignIn = "subscription" | "key" | "none" | "unknown"

/** An access through one of the user's own programs. */
export interface BridgeAccess extends ModelAccess {
  signIn(signal: AbortSignal): Promise<SignIn>
}

const aborted: Failure = { kind: "aborted", message: "The call was cancelled." }

/** How to run one program and read its output. */
interface Program {
  name: string
  product: string
  /** What to tell the user if it is not signed in, or signed in with a key. */
  notSignedIn: string
  signedInByKey: string
  signIn(signal: AbortSignal): Promise<SignIn>
  start(prompt: Prompt, scratch: Scratch, question: Question): Promise<Pick<ProgramRun, "args" | "env">>
  read(stdout: string, context: { asked: AskedQuestion; at: number }): ProgramOutput
}

/** Asks a question through a program that is installed and signed in with a subscription. */
export async function askProgram(
  needs: BridgeOptions,
  program: Program,
  question: Question,
): Promise<Answer> {
  const { name, product, notSignedIn, signedInByKey } = program
  if (question.signal.aborted) return failedAnswer(aborted)
  const problem = missing(needs, product)
  if (problem !== undefined) return failedAnswer(problem)
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
    return failedAnswer(failureWithoutResult(name, ended), null, readings)
  } finally {
    scratch.remove()
  }
}

const statusMs = 20_000

/** Runs a status command of the program. */
export function runStatus(
  needs: BridgeOptions,
  run: Pick<ProgramRun, "args" | "env">,
  signal: AbortSignal,
): Promise<ProgramEnd> {
  const { command } = needs
  return withTimeout(needs.clock, statusMs, signal, (either) =>
    runProgram(needs, { command, ...run, cwd: emptyFolder(needs), input: "", signal: either }),
  )
}

/** The failure if the program is not installed. */
function missing({ command, env }: BridgeOptions, product: string): Failure | undefined {
  if (findInPath(command, env.variable("PATH") ?? "") !== undefined) return undefined
  return {
    kind: "unreachable",
    message: `${command} was not found; install ${product}, or set the path of its program.`,
  }
}

/** The failure of a program that ended without a result. */
function failureWithoutResult(program: string, ended: ProgramEnd): Failure {
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
  const what = words === "" ? `ended with code ${code} and gave no answer` : `gave no answer (${words})`
  return { kind: "malformed", message: `${program} ${what}; run \`${program}\` to see whether it works.` }
}

/** Always the same empty folder, because some programs tell the model its name. */
function emptyFolder({ folder }: BridgeOptions): string {
  const empty = join(folder, "empty")
  makePrivateFolder(empty)
  return empty
}
