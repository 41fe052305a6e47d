import type { Clock } from "../../base/clock.ts"
import type { Environment } from "../../config/environment.ts"
import type { Input } from "../cli/needs.ts"
import type { Output } from "../cli/output.ts"
import type { Lasting } from "../lasting.ts"

/** What the terminal program needs. */
export interface TuiNeeds {
  env: Environment
  clock: Clock
  /** Paints text, and knows how wide the terminal is. */
  output: Output
  input: Input
  screen: NodeJS.WriteStream
  /** The folder the user is in: its project's memories are shown. */
  cwd: string
  lasting: Lasting
}
