import { type Sql, sql } from "../../storage/sql.ts"
import type { Memory } from "./memory.ts"

/** The condition on `memories m` for memories of the same scope: others are neither duplicates nor contradictions. */
export function sameScope({ scope, project, sessionId, audience }: ScopeFields): Sql {
  const inProject = project === null ? sql`m.project is null` : sql`m.project = ${project}`
  const inSession = scope === "session" ? sql`m.session_id = ${sessionId}` : sql`true`
  const toAudience = audience === null ? sql`m.audience is null` : sql`m.audience = ${audience}`
  return sql`(m.scope = ${scope} and ${inProject} and ${inSession} and ${toAudience})`
}

/** The fields that decide a memory's scope. */
export type ScopeFields = Pick<Memory, "scope" | "project" | "sessionId" | "audience">

/** The same text for all memories of one scope. */
export function scopeKey({ scope, project, sessionId, audience }: ScopeFields): string {
  return JSON.stringify([scope, project, scope === "session" ? sessionId : null, audience])
}

/** Whether two memories are in the same scope. */
export function isSameScope(a: Memory, b: Memory): boolean {
  return scopeKey(a) === scopeKey(b)
}
