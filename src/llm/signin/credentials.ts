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

/** All that is kept, in one file. What a newer version put there is left as it is. */
const credentialsSchema = z.looseObject({
  chatgpt: chatgptSchema.optional(),
  keys: z
    .looseObject({
      openai: keySchema.optional(),
      anthropic: keySchema.optional(),
      openrouter: keySchema.optional(),
    })
    .default({}),
  /** Passwords and tokens of the ways to tell a person something. */
  notify: z.looseObject({ email: secret, sms: secret, webhook: secret, ntfy: secret }).optional(),
})
export type Credentials = z.output<typeof credentialsSchema>

export interface CredentialNeeds {
  clock: Clock
  random: Random
  credentialsFile: string
}

/** Reads what is kept; a missing file means nothing. It is written whole, so it can be read at any time. */
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

/** Changes what is kept while no other process does. The change gets the newest there is, and gives what to keep. */
export function changeCredentials<T>(
  needs: CredentialNeeds,
  change: (now: Credentials, keep: (credentials: Credentials) => void) => Promise<T>,
): Promise<T> {
  const file = needs.credentialsFile
  const keep = (credentials: Credentials) => {
    removeLeftovers(file)
    writeAtomically(file, `${JSON.stringify(credentials, null, 2)}\n`)
  }
  return withFileLock(needs, file, () => change(readCredentials(file), keep))
}

/** What processes that died while writing left beside the file; it may hold tokens. Only under the lock. */
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

/** The cause is left out: it could quote what is in the file. */
function unreadable(file: string, error: unknown): UserError {
  const advice = "mend it, or move it away and sign in again with `reverie login`."
  const why = codeOf(error) === "" ? "does not hold what it should" : `cannot be read (${codeOf(error)})`
  return new UserError("config", `${file} ${why}; ${advice}`)
}
