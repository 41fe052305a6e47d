import { spawnSync } from "node:child_process"
import type { TestProject } from "vitest/node"
import { findPostgres, startPostgresServer } from "./postgres-server.ts"

declare module "vitest" {
  export interface ProvidedContext {
    /** Where a throwaway PostgreSQL with pgvector answers; empty when there is none. */
    postgresUrl: string
  }
}

/** Builds the program that system tests run, and starts one PostgreSQL server for all tests. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const build = spawnSync("npm", ["run", "--silent", "build"], { encoding: "utf8" })
  if (build.status !== 0) throw new Error(`the build failed:\n${build.stdout}${build.stderr}`)
  if (process.env.CI === "true" && process.getuid?.() !== 0) {
    throw new Error("in CI nothing may be left out: the tests of full and read-only disks need root")
  }
  const given = process.env.REVERIE_TEST_DATABASE_URL
  if (given) {
    project.provide("postgresUrl", given)
    return undefined
  }
  const found = findPostgres()
  if ("missing" in found) {
    if (process.env.CI === "true") throw new Error(`in CI nothing may be left out: ${found.missing}`)
    console.warn(`left out: PostgreSQL tests (${found.missing})`)
    project.provide("postgresUrl", "")
    return undefined
  }
  const server = await startPostgresServer()
  project.provide("postgresUrl", server.url)
  return () => server.stop()
}
