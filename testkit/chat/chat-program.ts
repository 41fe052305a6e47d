import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Client } from "../../src/api/client.ts"
import type { EntryJson } from "../../src/api/contract/memory-answers.ts"
import type { ModelServer } from "../model-server/model-server.ts"
import { throwawayFolder } from "../program/home.ts"
import { createInstallation } from "../program/program.ts"

interface ChatProgram {
  server: ModelServer
  /** Lines of TOML for the sections of chat. */
  chat: readonly string[]
  env?: Record<string, string>
}

/** An installation whose model is a scripted server, with chat set up as the lines say; batches come at once. */
export function createChatInstallation({ server, chat, env = {} }: ChatProgram) {
  const home = throwawayFolder()
  const lines = [
    ...["[embedding]", 'model = "none"', "[ambient]", "enabled = false"],
    ...["[models]", 'provider = "local"', `local_url = "${server.url}/v1"`, 'local_model = "talker"'],
    ...["[chat.ambient]", "enabled = true", "flush_max_messages = 1", "cooldown_seconds = 0"],
    ...chat,
  ]
  writeFileSync(join(home, "config.toml"), `${lines.join("\n")}\n`, { mode: 0o600 })
  return createInstallation({ home, env })
}

/** Waits until the journal has so many entries of these kinds, and gives them. */
export async function entriesOf(client: Client, kinds: readonly string[], many = 1): Promise<EntryJson[]> {
  const found = new AbortController()
  const entries: EntryJson[] = []
  try {
    for await (const entry of client.follow({ after: 0 }, found.signal)) {
      if (kinds.includes(entry.kind)) entries.push(entry)
      if (entries.length >= many) return entries
    }
  } finally {
    found.abort()
  }
  throw new Error(`the journal ended with ${entries.length} of ${kinds.join(", ")}`)
}
