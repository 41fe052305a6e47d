/** A numbered change of the schema, with a script for each database. Landed ones are never edited. */
export interface Migration {
  version: number
  name: string
  sqlite: string
  postgres: string
}

/**
 * One script for both databases, written with PostgreSQL's types and collations. SQLite has fewer types and its tables
 * are strict; `without rowid` behind a table is for SQLite alone.
 */
export function forBoth(script: string): Pick<Migration, "sqlite" | "postgres"> {
  const sqlite = script
    .replaceAll(/\bbigint\b/g, "integer")
    .replaceAll(/\bdouble precision\b/g, "real")
    .replaceAll(/\bbytea\b/g, "blob")
    .replaceAll(' collate "C"', "")
    .replaceAll(/(create table [^;]*\)) without rowid;/g, "$1 strict, without rowid;")
    .replaceAll(/(create table [^;]*\));/g, "$1 strict;")
  return { sqlite, postgres: script.replaceAll(") without rowid;", ");") }
}
