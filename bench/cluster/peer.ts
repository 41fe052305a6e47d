import { createRequire } from "node:module"
import { join, resolve } from "node:path"
import { UserError } from "../../src/base/errors.ts"
import type { ReferenceSet } from "./reference.ts"

/** Another implementation: labels for the vectors of a set. */
export type Peer = (set: ReferenceSet) => ArrayLike<number>

interface HdbscanTs {
  HDBSCAN: new (options: {
    minClusterSize: number
    minSamples: number
  }) => { fit(rows: number[][]): number[] }
}

/** The npm package hdbscan-ts, from a folder where it was installed: it is no dependency of ours. */
export function loadPeer(folder: string): Peer {
  const { HDBSCAN } = requireFrom(folder)
  return ({ vectors, minClusterSize, minSamples }) =>
    new HDBSCAN({ minClusterSize, minSamples }).fit(vectors.map((vector) => [...vector]))
}

function requireFrom(folder: string): HdbscanTs {
  try {
    return createRequire(join(resolve(folder), "package.json"))("hdbscan-ts") as HdbscanTs
  } catch (cause) {
    throw new UserError(
      "usage",
      `hdbscan-ts is not installed in ${folder}: run npm install hdbscan-ts there.`,
      {
        cause,
      },
    )
  }
}
