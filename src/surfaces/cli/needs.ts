import type { Readable } from "node:stream"
import type { TerminalRoom, TerminalRoomOptions } from "../../activities/listen/terminal-room.ts"
import type { Clock } from "../../base/clock.ts"
import type { Random } from "../../base/random.ts"
import type { Environment } from "../../config/environment.ts"
import type { Paths } from "../../config/paths.ts"
import type { Config } from "../../config/schema.ts"
import type { Database } from "../../storage/database.ts"
import type { Connection, InProcess } from "../connect.ts"
import type { Output } from "./output.ts"

/** Chat in this process, without a daemon. */
interface ChatRooms {
  openTerminalRoom(options: TerminalRoomOptions): Promise<TerminalRoom>
}

/** What a view of the terminal needs. */
export type ViewNeeds = Pick<CliNeeds, "output" | "clock" | "env">

/** Everything the commands need; the composition root fills it in. */
export interface CliNeeds {
  env: Environment
  paths: Paths
  clock: Clock
  random: Random
  output: Output
  /** Standard input. */
  input: Readable & { isTTY?: boolean }
  cwd: string
  /** The file that was run, to start a daemon with. */
  entry: string
  /** Opens a client of the API. `actor` is for the journal (default: cli), `session` is the session of an agent. */
  connect(actor?: string, session?: string): Promise<Connection>
  openLocal(): Promise<InProcess & { db: Database; config: Config } & ChatRooms>
  /** Opens the database only. `mayBeNew` creates it even if snapshots show that there was one. */
  openDatabase(options?: { mayBeNew?: boolean }): Promise<Database>
  /** Runs the daemon in this process. */
  startDaemon(): Promise<{ stop(): void; done: Promise<void> }>
  /** Sets the exit code of the program. */
  setExitCode(code: number): void
}
