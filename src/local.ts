import type { Hono } from "hono"
import { embedSome } from "./activities/embedding.ts"
import {
  openTerminalRoom,
  type TerminalRoom,
  type TerminalRoomOptions,
} from "./activities/listen/terminal-room.ts"
import { meterOnce } from "./activities/metering.ts"
import { ingestOnce } from "./activities/read-sessions/ingesting.ts"
import { openOwnSessions, withOwnSessions } from "./activities/read-sessions/own-sessions.ts"
import { createApp } from "./api/app.ts"
import { silentLog } from "./base/log.ts"
import { version } from "./base/version.ts"
import { loadInstall } from "./config/install.ts"
import { loadConfig } from "./config/load.ts"
import type { Host } from "./config/paths.ts"
import type { Config } from "./config/schema.ts"
import { type DownloadProgress, openParts, openStore } from "./parts.ts"
import { ingesting, metersFor, modelsFor, thoughtModels } from "./product.ts"
import { createSourceReader } from "./recall/choose/read-source.ts"
import { openRecall } from "./recall/open-recall.ts"
import type { Database } from "./storage/database.ts"

/** The product inside this process, for commands without a daemon. */
export interface Local {
  app: Hono
  db: Database
  config: Config
  /** Opens a chat room in the user's terminal. */
  openTerminalRoom(options: TerminalRoomOptions): Promise<TerminalRoom>
  close(): Promise<void>
}

/** A command without a daemon looks so often for new sessions before it lists them; each look reads 10 MB at most. */
const looksBeforeSessions = 3

/** Opens the product in this process. */
export async function openLocal(
  host: Host,
  onProgress?: (progress: DownloadProgress) => void,
): Promise<Local> {
  const config = loadConfig(host.env, host.paths)
  const parts = await openParts({ ...host, config, log: silentLog, onProgress })
  const { db, embedder } = parts
  const beforeSearch = async () => {
    if (embedder) await embedSome({ ...host, ...parts, embedder, config }).catch(() => undefined)
  }
  const install = loadInstall(host.paths.installFile, host.random).id
  const needs = { ...host, ...parts, config, log: silentLog, install }
  const beforeUsage = () => meterOnce({ ...needs, meters: metersFor(needs) }).catch(() => undefined)
  const beforeSessions = () => ingestOnce(ingesting(needs), looksBeforeSessions).catch(() => undefined)
  const models = modelsFor(needs)
  const ownSessions = openOwnSessions(needs)
  const recall = withOwnSessions(
    openRecall({ ...needs, models, sourceReader: createSourceReader(db) }),
    ownSessions,
  )
  const app = createApp({
    ...needs,
    ...{ models, recall, ownSessions, version, beforeSearch, beforeUsage, beforeSessions },
    thoughtModels: () => thoughtModels({ ...needs, models }),
  })
  const close = async () => {
    await recall.close()
    await parts.close()
  }
  const terminal = (options: TerminalRoomOptions) => openTerminalRoom({ ...needs, models }, options)
  return { app, db, config, openTerminalRoom: terminal, close }
}

/** Opens only the database, for commands that must work even if the embedder is misconfigured. */
export async function openDatabaseOnly(host: Host, options: { mayBeNew?: boolean } = {}): Promise<Database> {
  return openStore({ ...host, ...options, config: loadConfig(host.env, host.paths), log: silentLog })
}
