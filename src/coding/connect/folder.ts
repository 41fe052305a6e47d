import { join } from "node:path"

/** Where connections are noted. */
export interface RecordPlace {
  dataDir: string
}

/** The folder of what is noted; it is there once a tool was connected. */
export function connectionsFolder({ dataDir }: RecordPlace): string {
  return join(dataDir, "connections")
}
