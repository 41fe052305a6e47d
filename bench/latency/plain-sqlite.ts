import { DatabaseSync, type StatementSync } from "node:sqlite"
import type { PlainStore } from "./plain-store.ts"

/** The baseline on node:sqlite, with the settings Reverie's own connection has. */
export function openPlainSqlite(file: string): PlainStore {
  const connection = new DatabaseSync(file)
  connection.exec(`
    pragma synchronous = full; pragma temp_store = memory; pragma cache_size = -16000;
    pragma journal_mode = wal;
    create table if not exists plain_rows (id integer primary key, content text not null) strict;
    create virtual table if not exists plain_text using fts5 (
      content, tokenize = 'porter unicode61 remove_diacritics 2'
    );
  `)
  const insertRow = connection.prepare("insert into plain_rows (content) values (?)")
  const insertText = connection.prepare("insert into plain_text (content) values (?)")
  const select = connection.prepare(
    "select rowid as id from plain_text where plain_text match ? order by rank limit ?",
  )
  const together = async (insert: StatementSync, texts: readonly string[]) => {
    connection.exec("begin immediate")
    for (const text of texts) insert.run(text)
    connection.exec("commit")
  }
  return {
    async add(text) {
      insertRow.run(text)
    },
    addMany: (texts) => together(insertRow, texts),
    fill: (texts) => together(insertRow, texts),
    fillIndexed: (texts) => together(insertText, texts),
    async search(words, limit) {
      return select.all(words.map((word) => `"${word}"`).join(" OR "), limit)
    },
    async close() {
      connection.close()
    },
  }
}
