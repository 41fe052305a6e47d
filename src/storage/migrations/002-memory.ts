import { forBoth } from "./migration.ts"

const shared = forBoth(`
    alter table memories add column audience text;
    alter table memories add column triggers text;
    alter table memories add column details text not null default '{}';
    create index memories_by_session on memories (session_id, message_index) where session_id is not null;
    create index memories_with_triggers on memories (seq) where triggers is not null;

    create table memory_terms (
      seq bigint primary key references memories (seq) on delete cascade, terms bytea not null
    );
    create table terms (term bigint primary key, memories bigint not null);

    create table token_vectors (
      model text not null, seq bigint not null references memories (seq) on delete cascade, codes bytea not null,
      primary key (model, seq)
    );
    create index token_vectors_by_memory on token_vectors (seq);

    create table clusters (
      id text collate "C" primary key, project text, name text not null, model text not null,
      centroid bytea not null, radius double precision not null, members integer not null, updated_at bigint not null
    ) without rowid;
`)

/**
 * What memory needs beyond the foundation: who may see a memory, what brings it up, how it came about; the words of
 * each memory and how common each word is; short vectors of single word pieces; clusters.
 */
export const memoryGraph = {
  version: 2,
  name: "memory",
  sqlite: shared.sqlite,
  postgres: `${shared.postgres}
    alter table vectors add column seq bigint;
    update vectors v set seq = m.seq from memories m where m.id = v.memory;
    alter table vectors alter column seq set not null;
    create index vectors_by_seq on vectors (seq, model);
  `,
}
