import { z } from "zod"
import type { Environment } from "../../config/environment.ts"
import { type CredentialStore, changeCredentials, readCredentials } from "./credentials.ts"

/** A section of the credentials file, in which `field` holds each secret. The environment variables override it. */
export function credentialSection<Name extends string>(
  section: string,
  field: string,
  variables: Record<Name, string>,
) {
  const saved = z
    .object({ [field]: z.string().min(1) })
    .extend({ savedAt: z.int() })
    .optional()
  const names = Object.keys(variables)
  const schema = z.looseObject(Object.fromEntries(names.map((name) => [name, saved]))).catch({})
  const savedIn = (credentials: Record<string, unknown>) => schema.parse(credentials[section] ?? {})
  return {
    /** A secret from the environment, or else from the credentials file. */
    find(env: Pick<Environment, "variable">, file: string, name: Name): string | undefined {
      return env.variable(variables[name]) ?? savedIn(readCredentials(file))[name]?.[field]
    },
    /** Saves a secret in the credentials file, which only the user can read. */
    save(needs: CredentialStore, name: Name, secret: string): Promise<void> {
      const one = { [field]: secret, savedAt: needs.clock.now() }
      return changeCredentials(needs, async (credentials, keep) =>
        keep({ ...credentials, [section]: { ...savedIn(credentials), [name]: one } }),
      )
    },
  }
}
