import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** Loads a package from bench/peers/node_modules; what it exports is the caller's to check. */
export function loadPeer(name: string): Promise<unknown> {
  return import(name)
}

/** A file of a package in bench/peers/node_modules. */
export function peerFile(...path: string[]): string {
  return join(fileURLToPath(new URL("./node_modules", import.meta.url)), ...path)
}
