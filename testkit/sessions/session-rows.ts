import type { Database } from "../../src/storage/database.ts"
import { sql } from "../../src/storage/sql.ts"

/** A session as the sources would have stored it, for tests that are about what follows from it. */
interface StoredSession {
  id: string
  install: string
  /**
   * What was said, such as "user: Never push to main." in order; the position follows from it. A tool's files stand in
   * brackets: "tool[/work/README.md]: …".
   */
  said: readonly string[]
  at: number
  status?: "active" | "idle" | "closed" | "crashed"
  folder?: string | null
  project?: string | null
}

/** Stores a session, or more turns of one that is there. */
export async function storeSession(db: Database, session: StoredSession): Promise<void> {
  const { id, install, said, at, status = "closed", folder = null, project = null } = session
  const [tool = "", native = ""] = id.split(":")
  await db.write(async (transaction) => {
    const [known] = await transaction.read<{ turns: number }>(
      sql`select count(*) as turns from turns where session = ${id}`,
    )
    const first = Number(known?.turns ?? 0)
    await transaction.run(sql`
      insert into sessions (id, install, tool, native_id, project, folder, started_at, updated_at, status, status_at,
        turns, extracted_turns, details)
      values (${id}, ${install}, ${tool}, ${native}, ${project}, ${folder}, ${at}, ${at}, ${status}, ${at},
        ${said.length}, 0, '{}')
      on conflict (id) do update set updated_at = excluded.updated_at, status = excluded.status,
        status_at = excluded.status_at, turns = sessions.turns + excluded.turns`)
    for (const [index, line] of said.entries()) {
      const [who = "", ...words] = line.split(": ")
      const [role = "", file] = who.split(/[[\]]/)
      const details = file === undefined ? "{}" : JSON.stringify({ files: [file] })
      await transaction.run(sql`
        insert into turns (session, position, role, at, text, details)
        values (${id}, ${first + index}, ${role}, ${at + index}, ${words.join(": ")}, ${details})`)
    }
  })
}
