import { readdir, readFile, stat } from "node:fs/promises"
import { basename, join } from "node:path"
import { z } from "zod"
import type { Reading, Redact, SessionLocation } from "../sessions/session-source.ts"
import { parseLine } from "../usage/meter.ts"
import { type OpencodeMessage, readOpencodeMessage } from "./opencode-message.ts"

const sessionSchema = z.object({
  id: z.string(),
  parentID: z.string().nullish(),
  directory: z.string().optional(),
  title: z.string().optional(),
  time: z.object({ created: z.number() }),
})

/** The storage of versions before 1.2: session/PROJECT/ID.json, message/SESSION/ID.json, part/MESSAGE/ID.json. */
export function opencodeFiles(storage: string, redact: Redact) {
  return {
    async locations(files: readonly string[]): Promise<SessionLocation[]> {
      const locations = await Promise.all(files.map((file) => locationOf(storage, file)))
      return locations.flatMap((location) => location ?? [])
    },
    async read(file: string): Promise<Reading> {
      const session = sessionSchema.safeParse(await readJson(file))
      const nothing = { position: 0, state: null, news: undefined, more: false }
      if (!session.success || session.data.parentID) return nothing
      const { id, directory, title, time } = session.data
      const messages = await messagesOf(storage, id)
      const read = messages.map((message) => readOpencodeMessage(message, redact))
      const news = {
        nativeId: id,
        folder: directory,
        title: title === undefined ? undefined : redact(title),
        startedAt: time.created,
        phase: read.at(-1)?.phase,
        turns: read.flatMap(({ turns }) => turns),
      }
      return { ...nothing, news }
    },
  }
}

async function locationOf(storage: string, file: string): Promise<SessionLocation | undefined> {
  const session = await stat(file).catch(() => undefined)
  const messages = await stat(join(storage, "message", basename(file, ".json"))).catch(() => undefined)
  if (session === undefined) return undefined
  const changedAt = Math.floor(Math.max(session.mtimeMs, messages?.mtimeMs ?? 0))
  return { id: file, changedAt, stamp: `${session.mtimeMs}/${messages?.mtimeMs ?? 0}` }
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

/** Names begin with the time, so that their order is that of what they name. */
async function namesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  return names.filter((name) => name.endsWith(".json")).sort()
}

async function readJson(file: string): Promise<unknown> {
  return parseLine(await readFile(file, "utf8").catch(() => ""))
}
