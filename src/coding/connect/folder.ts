import { join } from "node:path"

/** Where connections are noted. */
export interface DataFolder {
  dataDir: string
}

/** The folder of what is noted; it is there once a tool was connected. */
export function connectionsFolder({ dataDir }: DataFolder): string {
  return join(dataDir, "connections")
}
