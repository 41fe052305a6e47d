import { existsSync } from "node:fs"
import { noteKept, refuseGone } from "./activities/kept-databases.ts"
import { refuseVanished, withSnapshotAdvice } from "./activities/recovery.ts"
import { snapshotFile } from "./activities/snapshots.ts"
import { requireOwnFolder } from "./base/files/files.ts"
import type { Log } from "./base/log.ts"
import { loadInstall } from "./config/install.ts"
import type { Host } from "./config/paths.ts"
import type { Config } from "./config/schema.ts"
import type { Embedder } from "./embedding/embedder.ts"
import { openEmbedder } from "./embedding/open-embedder.ts"
import { createProjectFinder, knownRoots, type ProjectFinder } from "./memory/model/project.ts"
import { startNotingWords } from "./memory/model/words/words-due.ts"
import { type ClusterCache, createClusterCache } from "./memory/topics/clusters/join-clusters.ts"
import { scalesIn, storedVectorLength } from "./memory/write/vectors.ts"
import { openScreen, type Screen } from "./privacy/screen.ts"
import type { Database } from "./storage/database.ts"
import { openDatabase } from "./storage/open-database.ts"

/** How much of a file of the embedding model has come. */
export interface DownloadProgress {
  file: string
  received: number
  bytes: number
}

/** The memory with all it stands on, chosen and opened. */
export interface Parts {
  db: Database
  projects: ProjectFinder
  screen: Screen
  /** Undefined where the configuration wants none. */
  embedder: Embedder | undefined
  clusters: ClusterCache
  close(): Promise<void>
}

interface PartsNeeds extends Host {
  config: Config
  log: Log
  onProgress?: ((progress: DownloadProgress) => void) | undefined
}

/** Opens what daemon, commands and library have in common. */
export async function openParts(needs: PartsNeeds): Promise<Parts> {
  const db = await openStore(needs)
  const { onProgress, ...rest } = needs
  const stored = { storedLength: (model: string) => storedVectorLength(db, model), scales: scalesIn(db) }
  const screen = openScreen({ ...needs, knownRoots: () => knownRoots(db) }, needs.config.privacy)
  const told = { fetch, redact: screen.redactSync, ...(onProgress ? { onProgress } : {}) }
  const open = () => openEmbedder({ ...rest, ...stored, ...told }, needs.config)
  let embedder: Embedder | undefined
  try {
    embedder = needs.config.embedding.model === "none" ? undefined : open()
  } catch (error) {
    await db.close()
    throw error
  }
  const stopNoting = await startNotingWords({ ...needs, db })
  return {
    db,
    projects: createProjectFinder(needs),
    screen,
    embedder,
    clusters: createClusterCache(),
    async close() {
      await stopNoting()
      await embedder?.close()
      await db.close()
    },
  }
}

/** Opens the database alone, for what has to work although the rest does not. */
export async function openStore(
  needs: Omit<PartsNeeds, "onProgress"> & {
    /** Whether a database may be made although snapshots say that there was one. */
    mayBeNew?: boolean
  },
): Promise<Database> {
  const { snapshotDir, dataDir, keptFile } = needs.paths
  // Whoever names a database for one run may also take it away.
  const isOurs = needs.env.databaseUrl === undefined
  if (existsSync(dataDir)) requireOwnFolder(dataDir)
  try {
    const db = await openDatabase({
      ...needs,
      url: needs.config.storage.url,
      install: loadInstall(needs.paths.installFile, needs.random).id,
      file: needs.paths.databaseFile,
      async beforeMigration(copyTo) {
        await copyTo(snapshotFile(snapshotDir, needs.clock.now(), "db"))
      },
      async beforeNew(file) {
        if (needs.mayBeNew) return
        await refuseVanished(snapshotDir, file)
        if (isOurs) refuseGone(keptFile, file)
      },
    })
    if (isOurs && db.kind === "sqlite") await noteKept(keptFile, db.location)
    return db
  } catch (error) {
    throw await withSnapshotAdvice(error, snapshotDir)
  }
}
