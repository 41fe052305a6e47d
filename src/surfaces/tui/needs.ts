import type { CliNeeds } from "../cli/needs.ts"
import type { LongLivedClient } from "../long-lived-client.ts"

/** What the terminal program needs; it shows the memories of the project in `cwd`. */
export interface TuiNeeds extends Pick<CliNeeds, "env" | "clock" | "output" | "input" | "cwd"> {
  screen: NodeJS.WriteStream
  api: LongLivedClient
}
