import { forBoth } from "./migration.ts"

/**
 * Sessions of the user's with their agents and what was said in them, without secrets; what recall has prepared for
 * each; and questions that memory could not answer. A turn's key is what its tool calls it, so that it is kept once
 * however often it is read. What every session of a project should know is found by an index.
 */
export const sessions = {
  version: 5,
  name: "sessions",
  ...forBoth(`
    create table sessions (
      id text collate "C" primary key, install text not null, tool text not null, native_id text not null,
      project text, folder text, branch text, title text, started_at bigint not null, updated_at bigint not null,
      status text not null, status_at bigint not null, pid bigint, turns bigint not null,
      extracted_turns bigint not null, extracted_at bigint, extraction text, details text not null
    ) without rowid;
    create index sessions_by_time on sessions (install, updated_at);
    create index sessions_by_project on sessions (project, updated_at);
    create table turns (
      session text collate "C" not null references sessions (id) on delete cascade, position bigint not null,
      role text not null, at bigint not null, text text not null, details text not null, key text collate "C",
      primary key (session, position)
    ) without rowid;
    create unique index turns_by_key on turns (session, key);
    create index turns_by_time on turns (at);
    create table recall_states (
      session text collate "C" primary key, install text not null, state text not null, version bigint not null,
      updated_at bigint not null
    ) without rowid;
    create table gaps (
      id text collate "C" primary key, install text not null, project text, question text not null, at bigint not null,
      times bigint not null, session text, closed_at bigint, closed_by text
    ) without rowid;
    create index gaps_by_project on gaps (project, at);
    create index memories_standing on memories (type, created_at)
      where status = 'active' and type in ('preference', 'correction', 'negative', 'procedure');
  `),
}
