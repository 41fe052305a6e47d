import { projectNames } from "../../memory/model/known-projects.ts"
import type { Reader } from "../../storage/transaction.ts"

interface OfProject {
  project: string | null
}

/** Looks up the names of projects; null for a record without one. */
export async function nameProjects(
  on: Reader,
  all: readonly OfProject[],
): Promise<(one: OfProject | undefined) => string | null> {
  const names = await projectNames(on, [...new Set(all.flatMap(({ project }) => project ?? []))])
  return (one) => names.get(one?.project ?? "") ?? null
}
