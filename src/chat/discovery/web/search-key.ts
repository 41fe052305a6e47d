import type { Environment } from "../../../config/environment.ts"

/** Who wants a key to search the web. */
export type KeyedSearch = "brave" | "tavily"

/** The variables that hold the keys, as others know them too. */
const variables: Record<KeyedSearch, string> = {
  brave: "BRAVE_SEARCH_API_KEY",
  tavily: "TAVILY_API_KEY",
}

/** The key for searching, from the environment. */
export function findSearchKey(env: Pick<Environment, "variable">, provider: KeyedSearch): string | undefined {
  return env.variable(variables[provider])
}
