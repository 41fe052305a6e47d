import { existsSync, statSync } from "node:fs"
import { join } from "node:path"
import { writeAtomically } from "../../base/files/files.ts"
import type { Question } from "../choice/access.ts"
import { askProgram, type BridgeAccess, type BridgeOptions, runStatus, type SignIn } from "./bridge.ts"
import { catalogWithoutTools } from "./codex-catalog.ts"
import { readCodex, threadOf } from "./codex-events.ts"
import { type CodexHomes, prepareHome, takeSession } from "./codex-home.ts"
import { findInPath } from "./find-program.ts"
import { programEnvironment } from "./program-environment.ts"
import { answerSchema } from "./read-answer.ts"
import type { Prompt } from "./render-prompt.ts"
import type { Scratch } from "./scratch.ts"

/** Cached facts about the program, each with the key it is valid for. */
interface Known {
  signIn: { key: string; value: SignIn } | undefined
  catalog: { key: string; file: string | undefined } | undefined
}

/** Asks OpenAI's models through the user's own `codex`, whose sign-in is linked into our home. */
export function openCodex(needs: BridgeOptions): BridgeAccess {
  const homes: CodexHomes = {
    ours: join(needs.folder, "home"),
    users: needs.env.variable("CODEX_HOME") ?? join(needs.env.userHome, ".codex"),
  }
  const known: Known = { signIn: undefined, catalog: undefined }
  const program = {
    name: "codex",
    product: "Codex",
    notSignedIn,
    signedInByKey,
    signIn(signal: AbortSignal) {
      prepareHome(needs, homes)
      return signInOf(needs, homes, known, signal)
    },
    start: async (prompt: Prompt, scratch: Scratch, { model, signal }: Question) => ({
      args: execArguments(model, prompt, scratch, await catalogOf(needs, homes, known, signal)),
      // The program's databases contain prompts, so they are deleted with the run.
      env: environment(needs, homes, { CODEX_SQLITE_HOME: scratch.folder }),
    }),
    read(stdout: string, context: Parameters<typeof readCodex>[1]) {
      const thread = threadOf(stdout)
      const session = thread === undefined ? "" : takeSession(homes.ours, thread)
      return readCodex({ stdout, session }, context)
    },
  }
  return {
    id: "codex",
    signIn: program.signIn,
    ask: (question) => askProgram(needs, program, question),
  }
}

const notSignedIn =
  "codex is not signed in; run `codex login` (a sign-in in the system's keyring cannot be used)."
const signedInByKey =
  "codex is signed in with an API key, which is billed by use; run `codex login` with a ChatGPT plan, or use the openai access."

/** The session stays until its limits are read: the printed events do not contain them. */
function execArguments(
  model: string,
  prompt: Prompt,
  scratch: Scratch,
  catalog: string | undefined,
): string[] {
  const setting = (key: string, value: string) => ["-c", `${key}=${JSON.stringify(value)}`]
  return [
    ...["exec", "--json", "--skip-git-repo-check", "--ignore-rules"],
    ...["--model", model],
    ...setting("model_instructions_file", scratch.write("system.md", prompt.system)),
    ...(catalog === undefined ? [] : setting("model_catalog_json", catalog)),
    ...(prompt.structured
      ? ["--output-schema", scratch.write("schema.json", JSON.stringify(answerSchema))]
      : []),
    "-",
  ]
}

function environment(
  needs: BridgeOptions,
  { ours }: CodexHomes,
  more: Record<string, string> = {},
): Record<string, string> {
  return programEnvironment(needs.env, ["CODEX_CA_CERTIFICATE"], {
    CODEX_HOME: ours,
    // A prompt could name skills in the user's home, and the program would read them.
    HOME: join(ours, "home"),
    ...more,
    ...needs.extraEnv,
  })
}

/** Asks the program how it is signed in; cached until the sign-in file changes. */
async function signInOf(
  needs: BridgeOptions,
  homes: CodexHomes,
  known: Known,
  signal: AbortSignal,
): Promise<SignIn> {
  const file = join(homes.users, "auth.json")
  if (!existsSync(file)) return "none"
  const key = String(statSync(file).mtimeMs)
  if (known.signIn?.key === key) return known.signIn.value
  const ended = await runStatus(needs, { args: ["login", "status"], env: environment(needs, homes) }, signal)
  if (ended.outcome !== "ended") return "unknown"
  const value = signInFrom(ended.code, ended.stdout + ended.stderr)
  known.signIn = { key, value }
  return value
}

/** Reads `codex login status`. */
function signInFrom(code: number | null, text: string): SignIn {
  if (/not logged in/i.test(text)) return "none"
  if (/API key/i.test(text)) return "key"
  return code === 0 && /ChatGPT/i.test(text) ? "subscription" : "unknown"
}

const dayMs = 24 * 3_600_000

/** The program's models without tools, as a file; renewed daily and when the program changes. */
async function catalogOf(
  needs: BridgeOptions,
  homes: CodexHomes,
  known: Known,
  signal: AbortSignal,
): Promise<string | undefined> {
  const path = findInPath(needs.command, needs.env.variable("PATH") ?? "")
  const changed = path === undefined ? 0 : statSync(path).mtimeMs
  const key = `${path} ${changed} ${Math.floor(needs.clock.now() / dayMs)}`
  if (known.catalog?.key === key) return known.catalog.file
  const ended = await runStatus(needs, { args: ["debug", "models"], env: environment(needs, homes) }, signal)
  if (ended.outcome === "aborted") return undefined
  const text = ended.outcome === "ended" ? catalogWithoutTools(ended.stdout) : undefined
  const file = text === undefined ? undefined : join(homes.ours, "models.json")
  if (file === undefined || text === undefined) {
    needs.log.warn("codex did not list its models; it may offer them tools, which have no effect")
  } else {
    writeAtomically(file, text)
  }
  known.catalog = { key, file }
  return file
}
