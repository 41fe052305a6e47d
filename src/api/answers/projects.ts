import { projectNames } from "../../memory/model/known-projects.ts"
import type { Reader } from "../../storage/transaction.ts"

interface OfProject {
  project: string | null
}

/** What the projects of these are called; null for what belongs to none. */
export async function nameProjects(
  on: Reader,
  all: readonly OfProject[],
): Promise<(one: OfProject | undefined) => string | null> {
  const names = await projectNames(on, [...new Set(all.flatMap(({ project }) => project ?? []))])
  return (one) => names.get(one?.project ?? "") ?? null
}
