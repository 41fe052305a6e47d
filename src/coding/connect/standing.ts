import type { Connectable, ConnectWorld } from "./connectable.ts"
import { readText } from "./files.ts"

/** How a connection that stands in a tool's settings was wished for. */
export interface Standing {
  mcp: boolean
  /** Whether the tool asks over HTTP. */
  http: boolean
}

/** Reads from a tool's settings how it was connected, so that it can be connected in the same way again. */
export function standingOf(world: ConnectWorld, tool: Connectable, project: string | undefined): Standing {
  const found = tool.everywhere(world, project).flatMap(({ file, parts, faultOf }) => {
    const text = readText(file) ?? ""
    if (text.trim() === "" || faultOf(text) !== undefined) return []
    return parts.flatMap(({ isServer = false, find }) => find(text).map((target) => ({ isServer, target })))
  })
  return {
    mcp: found.some(({ isServer }) => isServer),
    http: found.some(({ target }) => target.startsWith("http://")),
  }
}
