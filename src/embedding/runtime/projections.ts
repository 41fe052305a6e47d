import { openProjection, type Projection, type StoredProjection } from "./projection.ts"

/** The stored projections by model, loaded on demand. */
const stored: Readonly<Record<string, () => Promise<{ projection: StoredProjection }>>> = {
  "all-MiniLM-L6-v2": () => import("./projections/all-minilm-l6-v2.ts"),
  "gte-small": () => import("./projections/gte-small.ts"),
}

export async function loadProjection(model: string): Promise<Projection> {
  const load = stored[model]
  if (load === undefined) throw new Error(`there is no projection for ${model}`)
  return openProjection((await load()).projection)
}
