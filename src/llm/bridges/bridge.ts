import { join } from "node:path"
import type { Clock } from "../../base/clock.ts"
import { makePrivateFolder } from "../../base/files/files.ts"
import type { Log } from "../../base/log.ts"
import type { Environment } from "../../config/environment.ts"
import type { Answer, ModelAccess } from "../choice/access.ts"
import type { Failure } from "../failure.ts"
import { findInPath } from "./find-program.ts"
import { quotable } from "./program-words.ts"
import type { ProgramEnd } from "./run-program.ts"

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

/** An answer that is none, before anything was spent. */
export function failed(failure: Failure): Answer {
  return { outcome: "failed", failure, spent: null, readings: [] }
}

export const aborted: Failure = { kind: "aborted", message: "The call was called off." }

/** Why the program cannot be asked at all; undefined where it is there. */
export function missing({ command, env }: BridgeNeeds, product: string): Failure | undefined {
  if (findInPath(command, env.variable("PATH") ?? "") !== undefined) return undefined
  return {
    kind: "unreachable",
    message: `${command} was not found; install ${product}, or set the path of its program.`,
  }
}

/** The failure of a program that ended without telling what came of the question. */
export function withoutResult(program: string, ended: ProgramEnd): Failure {
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
export function emptyFolder({ folder }: BridgeNeeds): string {
  const empty = join(folder, "empty")
  makePrivateFolder(empty)
  return empty
}

/** Runs something with a signal that also aborts after a while. */
export async function within<T>(
  clock: Clock,
  ms: number,
  signal: AbortSignal,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const tooLong = new AbortController()
  const cancel = clock.after(ms, () => tooLong.abort())
  try {
    return await run(AbortSignal.any([signal, tooLong.signal]))
  } finally {
    cancel()
  }
}
