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

/** The daemon as the command line sees it when it runs in this very process. */
interface RunningDaemon {
  stop(): void
  done: Promise<void>
}

/** Where a command reads what is typed or piped in. */
export type Input = Readable & { isTTY?: boolean }

/** Chat in this process, without a daemon. */
interface ChatRooms {
  openTerminalRoom(options: TerminalRoomOptions): Promise<TerminalRoom>
}

/** Everything the commands need; the composition root fills it in. */
export interface CliNeeds {
  env: Environment
  paths: Paths
  clock: Clock
  random: Random
  output: Output
  /** Standard input. */
  input: Input
  cwd: string
  /** The file that was run, to start a daemon with. */
  entry: string
  /** A client of the API; `actor` is who acts, for the journal: cli where nothing else is said. */
  /** `session` names the agent's session where an agent acts. */
  connect(actor?: string, session?: string): Promise<Connection>
  openLocal(): Promise<InProcess & { db: Database; config: Config } & ChatRooms>
  /** The database alone. `mayBeNew` makes one although snapshots say that there was one. */
  openDatabase(options?: { mayBeNew?: boolean }): Promise<Database>
  startDaemon(): Promise<RunningDaemon>
  /** Ends the program with this code once the command is done. */
  setExitCode(code: number): void
}
