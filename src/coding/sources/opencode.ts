import { join } from "node:path"
import { findFiles } from "../reading/find-files.ts"
import type { Redact, SessionSource } from "../sessions/session-source.ts"
import { opencodeDatabase } from "./opencode-database.ts"
import { opencodeFiles } from "./opencode-files.ts"

/** opencode's sessions: rows of its database, or in older versions a file for each part of a message. */
export function opencodeSource(folder: string, redact: Redact): SessionSource {
  const database = opencodeDatabase(join(folder, "opencode.db"), redact)
  const files = opencodeFiles(join(folder, "storage"), redact)
  return {
    tool: "opencode",
    locations: async (since) => [
      ...(await database.locations(since)),
      ...(await files.locations(await findFiles(join(folder, "storage", "session"), /\.json$/, since))),
    ],
    read: (location, from) =>
      location.endsWith(".json") ? files.read(location) : database.read(location, from),
  }
}
