import { join } from "node:path"
import type { Redact, SessionSource } from "../sessions/session-source.ts"
import { opencodeDatabase } from "./opencode-database.ts"
import { opencodeFiles } from "./opencode-files.ts"
import { withWholeFiles } from "./transcript.ts"

/** opencode's sessions: rows of its database, or in older versions a file for each part of a message. */
export function opencodeSource(folder: string, redact: Redact): SessionSource {
  const database = opencodeDatabase(join(folder, "opencode.db"), redact)
  return withWholeFiles(database, ".json", opencodeFiles(join(folder, "storage"), redact))
}
