import { type Sql, sql } from "../../storage/sql.ts"
import type { Memory } from "./memory.ts"

/** The condition on `memories m` for the scope of a memory: what belongs elsewhere neither repeats nor opposes it. */
export function sameScope({ scope, project, sessionId, audience }: MemoryScope): Sql {
  const inProject = project === null ? sql`m.project is null` : sql`m.project = ${project}`
  const inSession = scope === "session" ? sql`m.session_id = ${sessionId}` : sql`true`
  const among = audience === null ? sql`m.audience is null` : sql`m.audience = ${audience}`
  return sql`(m.scope = ${scope} and ${inProject} and ${inSession} and ${among})`
}

/** What of a memory says where it belongs. */
export type MemoryScope = Pick<Memory, "scope" | "project" | "sessionId" | "audience">

/** The same text for all memories of one scope. */
export function scopeKey({ scope, project, sessionId, audience }: MemoryScope): string {
  return JSON.stringify([scope, project, scope === "session" ? sessionId : null, audience])
}

/** Whether two memories are in the same scope. */
export function isSameScope(a: Memory, b: Memory): boolean {
  const sameSession = a.scope !== "session" || a.sessionId === b.sessionId
  return a.scope === b.scope && a.project === b.project && a.audience === b.audience && sameSession
}
