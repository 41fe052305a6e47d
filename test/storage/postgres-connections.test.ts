import { execFileSync } from "node:child_process"
import { expect, inject, test } from "vitest"
import { sql } from "../../src/storage/sql.ts"
import { otherKind } from "../../testkit/setup/databases.ts"

/** Ends every connection of Reverie to a database, while this process cannot notice. */
const endConnections = `
  import pg from "pg"
  const admin = new pg.Client(process.env.URL)
  await admin.connect()
  await admin.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'reverie' and datname = current_database()")
  await admin.end()
`

test.skipIf(inject("postgresUrl") === "")(
  "a connection that the server ended unnoticed is replaced for whoever reads or writes next",
  async () => {
    const { url, open } = await otherKind("sqlite")
    const db = await open()
    const answer = () => db.read<{ one: number }>(sql`select 1 as one`)
    /** Ends as many connections as the pool keeps. */
    const end = async () => {
      await Promise.all(Array.from({ length: 8 }, answer))
      execFileSync(process.execPath, ["--input-type=module", "-e", endConnections], { env: { URL: url } })
    }
    await end()
    expect(await answer()).toEqual([{ one: 1 }])
    await end()
    expect(await db.write((transaction) => transaction.read(sql`select 2 as two`))).toEqual([{ two: 2 }])
    await end()
    const read = db.readTransaction((reader) => reader.read(sql`select 3 as three`))
    expect(await read).toEqual([{ three: 3 }])
  },
)
