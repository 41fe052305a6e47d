import type { PlainStore } from "./plain-store.ts"

/** Opens the baseline store of a URL, making its tables if need be. */
export async function openPlainStore(url: string): Promise<PlainStore> {
  if (url.startsWith("sqlite:")) {
    const { openPlainSqlite } = await import("./plain-sqlite.ts")
    return openPlainSqlite(url.replace(/^sqlite:/, ""))
  }
  const { openPlainPostgres } = await import("./plain-postgres.ts")
  return openPlainPostgres(url)
}
