import type { Check } from "../../activities/check.ts"
import type { Snapshot } from "../../activities/snapshots.ts"
import type { EmbedderStatus } from "../../embedding/embedder.ts"
import type { ChatState } from "./chat-answers.ts"
import type { IsoTimes } from "./iso-times.ts"
import type { SkippedJson, SurfacedJson } from "./session-answers.ts"
import type { ShownMemory } from "./shown-memory.ts"
import type { AmbientJson, CycleJson, RequestJson, TendingAnswers, WindowShares } from "./tending-answers.ts"

/** What is answered about the program itself: how it is going, its settings and copies. */
export interface ProgramAnswers {
  /** How it is going. What does not exist yet is null. */
  status: Omit<AmbientJson, "trust"> & {
    daemon: { running: false; version: string } | ({ running: true } & DaemonJson)
    /** Null where no model can be asked. */
    budget:
      | (Pick<TendingAnswers["budget"], "pool" | "mayRun" | "nextAt" | "rule" | "reason"> & {
          windows: WindowShares[]
        })
      | null
    memory: {
      total: number
      active: number
      projects: number
      /** What agents noted and asked to hold, and waits for the person's word. */
      waiting: number
      /** Pairs of memories that contradict each other, or of which the newer may replace the older. */
      conflicts: number
      enabled: boolean
      storage: string
      place: string
      /** How search by meaning stands; null where search is by words alone. */
      embedding: { model: string; state: EmbedderStatus["state"]; reason: string | null } | null
      /** How many things were learned from sessions in the last day. */
      learnedToday: number
    }
    sessions: { skipped: SkippedJson[] }
    /** Permission requests that wait for the person. */
    inbox: { waiting: number; urgent: number }
    /** Null where no chat channel is switched on, or no daemon runs. */
    chat: ChatState | null
  }
  /** The daemon without a look at the database, so that it also answers when that is away. */
  daemon: DaemonJson & { database: string }
  /** What happened lately, and what needs the person. */
  today: {
    since: string
    /** The newest first; `count` counts all. */
    learned: {
      count: number
      memories: (ShownMemory & { by: string; savedAt: string; projectName: string | null })[]
    }
    surfaced: SurfacedJson[]
    cycles: CycleJson[]
    needsYou: { requests: RequestJson[]; conflicts: number; notes: number }
  }
  doctor: { checks: Check[] }
  /** A link that signs one browser in, once. */
  webLink: { url: string; address: string; expiresAt: string }
  config: {
    file: string
    settings: SettingJson[]
    /** What is wrong in the file. */
    faults: string[]
    /** Settings that differ from what the daemon runs with. */
    afterRestart: string[]
  }
  /** What would be written, line by line. */
  configDiff: { file: string; diff: string[]; digest: string }
  configWrite: { outcome: "written"; file: string; keys: string[] }
  snapshots: { snapshots: SnapshotJson[] }
  takeSnapshot: SnapshotJson
  noteCredential: { outcome: "noted" }
}

/** The daemon as it tells about itself. */
export interface DaemonInfo {
  pid: number
  host: string
  version: string
  startedAt: number
  socket: string
  /** The loopback address, or null when HTTP is off. */
  url: string | null
}

type DaemonJson = Omit<DaemonInfo, "startedAt"> & { since: string }

/** A copy of the whole memory on disk. */
type SnapshotJson = IsoTimes<Snapshot>

/** A setting that explains itself. */
export interface SettingJson {
  key: string
  table: string
  value: unknown
  default: unknown
  help: string
  expects: string
  /** What a project's own file may do with it; null for nothing. */
  project: string | null
}
