import type { Check } from "../../activities/check.ts"
import type { Snapshot } from "../../activities/snapshots.ts"
import type { EmbedderStatus } from "../../embedding/embedder.ts"
import type { ChatState } from "./chat-answers.ts"
import type { IsoTimes } from "./iso-times.ts"
import type { SkippedJson, SurfacedJson } from "./session-answers.ts"
import type { ShownMemory } from "./shown-memory.ts"
import type { AmbientJson, CycleJson, RequestJson, TendingAnswers, WindowShares } from "./tending-answers.ts"

/** Answers about the program: its state, settings and snapshots. */
export interface ProgramAnswers {
  /** What does not exist yet is null. */
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
      /** Notes of agents that wait for the user's approval. */
      waiting: number
      /** Pairs of memories that contradict each other, or of which the newer may replace the older. */
      conflicts: number
      enabled: boolean
      storage: string
      place: string
      /** The state of search by meaning; null where search is by words only. */
      embedding: { model: string; state: EmbedderStatus["state"]; reason: string | null } | null
      /** Memories learned from sessions in the last day. */
      learnedToday: number
    }
    sessions: { skipped: SkippedJson[] }
    /** Permission requests that wait for the user. */
    inbox: { waiting: number; urgent: number }
    /** Null without an enabled chat channel or a daemon. */
    chat: ChatState | null
  }
  /** Does not need the database, so that it also answers if the database is down. */
  daemon: DaemonJson & { database: string }
  /** What happened lately, and what waits for the user. */
  today: {
    since: string
    /** Newest first; `count` is the total. */
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
    /** The mistakes in the file. */
    faults: string[]
    /** Settings that the daemon uses only after a restart. */
    afterRestart: string[]
  }
  /** The diff of the file. */
  configDiff: { file: string; diff: string[]; digest: string }
  configWrite: { outcome: "written"; file: string; keys: string[] }
  snapshots: { snapshots: SnapshotJson[] }
  takeSnapshot: SnapshotJson
  noteCredential: { outcome: "noted" }
}

/** The daemon's description of itself. */
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

type SnapshotJson = IsoTimes<Snapshot>

/** A setting with its explanation. */
export interface SettingJson {
  key: string
  table: string
  value: unknown
  default: unknown
  help: string
  expects: string
  /** What a project's own file may do with it; null if nothing. */
  project: string | null
}
