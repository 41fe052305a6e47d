import type pg from "pg"
import { connectTo } from "../shared/connect-postgres.ts"
import type { PlainStore } from "./plain-store.ts"

/** The baseline on pg: one connection, tables beside Reverie's own. */
export async function openPlainPostgres(url: string): Promise<PlainStore> {
  const client = await connectTo(url)
  await createTables(client)
  const insertRow = "insert into plain_rows (content) values ($1)"
  return {
    async add(text) {
      await client.query(insertRow, [text])
    },
    async addMany(texts) {
      await client.query("begin")
      for (const text of texts) await client.query(insertRow, [text])
      await client.query("commit")
    },
    async fill(texts) {
      await client.query("insert into plain_rows (content) select unnest($1::text[])", [texts])
    },
    async fillIndexed(texts) {
      await client.query("insert into plain_text (content) select unnest($1::text[])", [texts])
    },
    async search(words, limit) {
      const query = words.map((word) => `'${word}'`).join(" | ")
      const { rows } = await client.query(
        `select id from plain_text, to_tsquery('english', $1) q where text_index @@ q
         order by ts_rank_cd(text_index, q, 1) desc limit $2`,
        [query, limit],
      )
      return rows
    },
    close: () => client.end(),
  }
}

/** Looks first: asking to create what is there would add a round trip and a notice to every opening. */
async function createTables(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ there: string | null }>("select to_regclass('plain_text') as there")
  if (rows[0]?.there) return
  await client.query(`
    create table plain_rows (id bigint generated always as identity primary key, content text not null);
    create table plain_text (
      id bigint generated always as identity primary key, content text not null,
      text_index tsvector generated always as (to_tsvector('english', content)) stored
    );
    create index plain_text_by_text on plain_text using gin (text_index);
  `)
}
