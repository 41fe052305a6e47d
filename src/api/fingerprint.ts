import { createHash } from "node:crypto"

/** Compares the databases of two processes without revealing the password in the URL. */
export function databaseFingerprint(url: string): string {
  return createHash("sha256").update(`reverie database ${url}`).digest("base64url")
}
