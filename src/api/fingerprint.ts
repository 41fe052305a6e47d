import { createHash } from "node:crypto"

/** Tells whether two processes were told the same database, without giving its password away. */
export function databaseFingerprint(url: string): string {
  return createHash("sha256").update(`reverie database ${url}`).digest("base64url")
}
