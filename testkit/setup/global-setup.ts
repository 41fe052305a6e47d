import { spawnSync } from "node:child_process"
import { chmodSync, mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import pg from "pg"
import type { TestProject } from "vitest/node"
import { systemClock } from "../../src/base/clock.ts"
import { silentLog } from "../../src/base/log.ts"
import { systemRandom } from "../../src/base/random.ts"
import { openDatabase } from "../../src/storage/open-database.ts"
import { findPostgres, startPostgresServer } from "./postgres-server.ts"

declare module "vitest" {
  export interface ProvidedContext {
    /** Where a throwaway PostgreSQL with pgvector answers; empty when there is none. */
    postgresUrl: string
    /** A SQLite file that has all tables, to be copied. */
    sqliteTemplate: string
    /** The name of a database on it that has all tables, to be copied; empty when there is none. */
    postgresTemplate: string
  }
}

const root = fileURLToPath(new URL("../..", import.meta.url))

/** Builds the program that system tests run, unless it is built, and starts one PostgreSQL server for all tests. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { TMPDIR: folder = "" } = project.config.env
  if (folder !== "") {
    mkdirSync(folder, { recursive: true })
    // As open to other users as /tmp is.
    chmodSync(folder, 0o1777)
  }
  const stopServer = await prepare(project, folder)
  return async () => {
    await stopServer?.()
    if (folder !== "") rmSync(folder, { recursive: true, force: true })
  }
}

async function prepare(project: TestProject, folder: string): Promise<(() => Promise<void>) | undefined> {
  const build = spawnSync(process.execPath, ["scripts/build-if-changed.ts"], { cwd: root, encoding: "utf8" })
  if (build.status !== 0) throw new Error(`the build failed:\n${build.stdout}${build.stderr}`)
  if (process.env.CI === "true" && process.getuid?.() !== 0) {
    throw new Error("in CI nothing may be left out: the tests of full and read-only disks need root")
  }
  project.provide("sqliteTemplate", await makeSqliteTemplate(folder))
  const given = process.env.REVERIE_TEST_DATABASE_URL
  if (given) {
    project.provide("postgresUrl", given)
    project.provide("postgresTemplate", "")
    return undefined
  }
  const found = findPostgres()
  if ("missing" in found) {
    if (process.env.CI === "true") throw new Error(`in CI nothing may be left out: ${found.missing}`)
    console.warn(`left out: PostgreSQL tests (${found.missing})`)
    project.provide("postgresUrl", "")
    project.provide("postgresTemplate", "")
    return undefined
  }
  const server = await startPostgresServer()
  project.provide("postgresUrl", server.url)
  project.provide("postgresTemplate", await makePostgresTemplate(server.url))
  return () => server.stop()
}

/** A file with all tables and nothing in them: to open a copy of it takes half of the time that making them does. */
async function makeSqliteTemplate(folder: string): Promise<string> {
  const file = join(folder, "template.db")
  await makeTables(`sqlite:${file}`)
  return file
}

async function makeTables(url: string): Promise<void> {
  const needs = { clock: systemClock, random: systemRandom, log: silentLog }
  const db = await openDatabase({ ...needs, url, file: "" })
  await db.close()
}

/** A database with all tables and nothing in them: a copy of it takes a third of the time that making them does. */
async function makePostgresTemplate(server: string): Promise<string> {
  const name = "reverie_template"
  const client = new pg.Client(server)
  await client.connect()
  await client.query(`create database ${name}`)
  await client.end()
  const url = new URL(server)
  url.pathname = `/${name}`
  await makeTables(url.href)
  return name
}
