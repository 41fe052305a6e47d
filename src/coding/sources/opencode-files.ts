import { readdir, readFile } from "node:fs/promises"
import { basename, join } from "node:path"
import { z } from "zod"
import { findFiles } from "../reading/find-files.ts"
import { parseJsonLine } from "../reading/json-line.ts"
import type { Redact, SessionSource } from "../sessions/session-source.ts"
import { type OpencodeMessage, readOpencodeMessage } from "./opencode-message.ts"
import { locationsOf, nothingNew } from "./transcript.ts"

const sessionSchema = z.object({
  id: z.string(),
  parentID: z.string().nullish(),
  directory: z.string().optional(),
  title: z.string().optional(),
  time: z.object({ created: z.number() }),
})

/** The storage of versions before 1.2: session/PROJECT/ID.json, message/SESSION/ID.json, part/MESSAGE/ID.json. */
export function opencodeFiles(storage: string, redact: Redact): Pick<SessionSource, "locations" | "read"> {
  return {
    async locations(since) {
      const files = await findFiles(join(storage, "session"), /\.json$/, since)
      return locationsOf(files, (file) => join(storage, "message", basename(file, ".json")))
    },
    async read(file) {
      const session = sessionSchema.safeParse(await readJson(file))
      if (!session.success || session.data.parentID) return nothingNew(undefined)
      const { id, directory, title, time } = session.data
      const messages = await messagesOf(storage, id)
      const read = messages.map((message) => readOpencodeMessage(message, redact))
      const update = {
        nativeId: id,
        folder: directory,
        title: title === undefined ? undefined : redact(title),
        startedAt: time.created,
        phase: read.at(-1)?.phase,
        turns: read.flatMap(({ turns }) => turns),
      }
      return { ...nothingNew(undefined), update }
    },
  }
}

async function messagesOf(storage: string, session: string): Promise<OpencodeMessage[]> {
  const folder = join(storage, "message", session)
  const messages: OpencodeMessage[] = []
  for (const name of await namesIn(folder)) {
    const partFolder = join(storage, "part", basename(name, ".json"))
    const parts: { id: string; data: unknown }[] = []
    for (const part of await namesIn(partFolder))
      parts.push({ id: basename(part, ".json"), data: await readJson(join(partFolder, part)) })
    messages.push({ data: await readJson(join(folder, name)), parts })
  }
  return messages
}

/** The JSON files of a folder, oldest first: names start with the time. */
async function namesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  return names.filter((name) => name.endsWith(".json")).sort()
}

async function readJson(file: string): Promise<unknown> {
  return parseJsonLine(await readFile(file, "utf8").catch(() => ""))
}
