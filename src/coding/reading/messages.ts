import type { Config } from "../../config/schema.ts"
import type { SessionTool } from "../../sessions/session.ts"
import type { Progress, SessionLocation } from "../sessions/session-source.ts"
import type { LocationRead } from "./read-location.ts"

/** What the thread that reads transcripts is started with. */
export interface ReaderSetup {
  config: Config
  ownFolder: string
}

/** What it is told to read. */
export interface ReadJob {
  job: number
  tool: SessionTool
  location: SessionLocation
  from: Progress | undefined
  /** The top folders of all known projects, whose secrets are kept out. */
  roots: readonly string[]
}

/** What it answers; a failure is one of the file, not of the thread. */
export type ReadAnswer =
  | { job: number; read: LocationRead }
  | { job: number; reason: string; code: string | undefined }
