import { forBoth } from "./migration.ts"

/**
 * From which turn on a model should still read a session that rules have read; the installation that wrote an entry of
 * the journal; what tags mean.
 */
export const wiring = {
  version: 11,
  name: "wiring",
  ...forBoth(`
    alter table sessions add column model_from bigint;
    create index sessions_for_models on sessions (install, updated_at) where model_from is not null;
    alter table journal add column install text;
    create table tag_descriptions (
      tag text collate "C" primary key, description text not null, updated_at bigint not null
    ) without rowid;
  `),
}
