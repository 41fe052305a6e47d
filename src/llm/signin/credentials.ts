import { readdirSync, readFileSync, rmSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { z } from "zod"
import type { Clock } from "../../base/clock.ts"
import { codeOf, UserError } from "../../base/errors.ts"
import { withFileLock } from "../../base/files/file-lock.ts"
import { fileError, writeAtomically } from "../../base/files/files.ts"
import type { Random } from "../../base/random.ts"
import { parseJson } from "../../base/text/json.ts"
import { chatgptSchema } from "./tokens.ts"

const keySchema = z.object({ key: z.string().min(1), savedAt: z.int() })
const secret = z.string().min(1).optional()

/** The content of the credentials file. Keys of newer versions are preserved. */
const credentialsSchema = z.looseObject({
  chatgpt: chatgptSchema.optional(),
  keys: z
    .looseObject({
      openai: keySchema.optional(),
      anthropic: keySchema.optional(),
      openrouter: keySchema.optional(),
    })
    .default({}),
  /** Passwords and tokens of the notification channels. */
  notify: z.looseObject({ email: secret, sms: secret, webhook: secret, ntfy: secret }).optional(),
})
export type Credentials = z.output<typeof credentialsSchema>

export interface CredentialStore {
  clock: Clock
  random: Random
  credentialsFile: string
}

/** Reads the credentials; a missing file is empty. It is always written as a whole, so it can be read at any time. */
export function readCredentials(file: string): Credentials {
  let text: string
  try {
    text = readFileSync(file, "utf8")
  } catch (error) {
    if (codeOf(error) === "ENOENT") return credentialsSchema.parse({})
    throw unreadable(file, error)
  }
  try {
    return credentialsSchema.parse(parseJson(text))
  } catch (error) {
    throw unreadable(file, error)
  }
}

/** Changes the credentials under a lock across processes. `change` gets the current ones and calls `save`. */
export function changeCredentials<T>(
  needs: CredentialStore,
  change: (now: Credentials, save: (credentials: Credentials) => void) => Promise<T>,
): Promise<T> {
  const file = needs.credentialsFile
  const save = (credentials: Credentials) => {
    removeLeftovers(file)
    writeAtomically(file, `${JSON.stringify(credentials, null, 2)}\n`)
  }
  return withFileLock(needs, file, () => change(readCredentials(file), save))
}

/** Deletes temporary files of processes that died while writing; they may contain tokens. Only under the lock. */
function removeLeftovers(file: string): void {
  const beginning = `${basename(file)}.`
  try {
    for (const name of readdirSync(dirname(file)))
      if (name.startsWith(beginning) && name.endsWith(".tmp"))
        rmSync(join(dirname(file), name), { force: true })
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw fileError(error, file)
  }
}

/** Without the cause, which could quote the file's content. */
function unreadable(file: string, error: unknown): UserError {
  const advice = "fix it, or move it away and sign in again with `reverie login`."
  const why = codeOf(error) === "" ? "has unexpected content" : `cannot be read (${codeOf(error)})`
  return new UserError("config", `${file} ${why}; ${advice}`)
}
