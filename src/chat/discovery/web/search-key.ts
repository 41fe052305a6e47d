import { z } from "zod"
import type { Environment } from "../../../config/environment.ts"
import { type CredentialNeeds, changeCredentials, readCredentials } from "../../../llm/signin/credentials.ts"

/** Who wants a key to search the web. */
export type KeyedSearch = "brave" | "tavily"

const keySchema = z.object({ key: z.string().min(1), savedAt: z.int() })
/** What of the credentials file is ours; it lies beside the sign-ins and keys of models. */
const searchSchema = z.looseObject({ brave: keySchema.optional(), tavily: keySchema.optional() }).catch({})

/** The variables that win over what was saved, as others know them too. */
const variables: Record<KeyedSearch, string> = {
  brave: "BRAVE_SEARCH_API_KEY",
  tavily: "TAVILY_API_KEY",
}

/** The key for searching: the environment wins over what was saved. */
export function findSearchKey(
  env: Pick<Environment, "variable">,
  credentialsFile: string,
  provider: KeyedSearch,
): string | undefined {
  return env.variable(variables[provider]) ?? savedIn(readCredentials(credentialsFile))[provider]?.key
}

/** Keeps a key in the file for credentials, which only the user can read. */
export function saveSearchKey(needs: CredentialNeeds, provider: KeyedSearch, key: string): Promise<void> {
  const saved = { key, savedAt: needs.clock.now() }
  return changeCredentials(needs, async (credentials, keep) =>
    keep({ ...credentials, search: { ...savedIn(credentials), [provider]: saved } }),
  )
}

function savedIn(credentials: Record<string, unknown>): z.output<typeof searchSchema> {
  return searchSchema.parse(credentials.search ?? {})
}
