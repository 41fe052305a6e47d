import { existsSync } from "node:fs"
import { recordDatabase, refuseMissingDatabase } from "./activities/known-databases.ts"
import { refuseEmptyWithSnapshots, withSnapshotAdvice } from "./activities/recovery.ts"
import { snapshotFile } from "./activities/snapshots.ts"
import { requireOwnFolder } from "./base/files/files.ts"
import type { Log } from "./base/log.ts"
import { loadInstall } from "./config/install.ts"
import type { Host } from "./config/paths.ts"
import type { Config } from "./config/schema.ts"
import type { Embedder } from "./embedding/embedder.ts"
import { openEmbedder } from "./embedding/open-embedder.ts"
import { createProjectFinder, type ProjectFinder, recentRoots } from "./memory/model/project.ts"
import { startIndexingDue } from "./memory/model/words/words-due.ts"
import { type ClusterCache, createClusterCache } from "./memory/topics/clusters/join-clusters.ts"
import { openScaleStore, storedVectorLength } from "./memory/write/vectors.ts"
import { openScreen, type Screen } from "./privacy/screen.ts"
import type { Database } from "./storage/database.ts"
import { openDatabase } from "./storage/open-database.ts"

/** The progress of downloading one file of the embedding model. */
export interface DownloadProgress {
  file: string
  received: number
  bytes: number
}

/** The opened parts that daemon, commands and library share. */
export interface Parts {
  db: Database
  projects: ProjectFinder
  screen: Screen
  /** Undefined if embedding.model is none. */
  embedder: Embedder | undefined
  clusters: ClusterCache
  close(): Promise<void>
}

interface PartsNeeds extends Host {
  config: Config
  log: Log
  onProgress?: ((progress: DownloadProgress) => void) | undefined
}

/** Opens the database, the embedder and the rest of the shared parts. */
export async function openParts(needs: PartsNeeds): Promise<Parts> {
  const db = await openStore(needs)
  const { onProgress, ...rest } = needs
  const stored = {
    storedLength: (model: string) => storedVectorLength(db, model),
    scales: openScaleStore(db),
  }
  const screen = openScreen({ ...needs, knownRoots: () => recentRoots(db) }, needs.config.privacy)
  const remote = { fetch, redact: screen.redactSync, ...(onProgress ? { onProgress } : {}) }
  const open = () => openEmbedder({ ...rest, ...stored, ...remote }, needs.config)
  let embedder: Embedder | undefined
  try {
    embedder = needs.config.embedding.model === "none" ? undefined : open()
  } catch (error) {
    await db.close()
    throw error
  }
  const stopNoting = await startIndexingDue({ ...needs, db })
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

/** Opens only the database, for commands that must work even if other parts fail. */
export async function openStore(
  needs: Omit<PartsNeeds, "onProgress"> & {
    /** Whether a new database may be created although snapshots show that one existed. */
    mayBeNew?: boolean
  },
): Promise<Database> {
  const { snapshotDir, dataDir, knownDatabasesFile: keptFile } = needs.paths
  // A database from the environment variable is temporary, so its disappearance is not an error.
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
        await refuseEmptyWithSnapshots(snapshotDir, file)
        if (isOurs) refuseMissingDatabase(keptFile, file)
      },
    })
    if (isOurs && db.kind === "sqlite") await recordDatabase(keptFile, db.location)
    return db
  } catch (error) {
    throw await withSnapshotAdvice(error, snapshotDir)
  }
}
