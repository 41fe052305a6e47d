import { forBoth } from "./migration.ts"

/** Thoughts of its own in each chat community: the one that is held, and when it said and considered something. */
export const initiative = {
  version: 17,
  name: "initiative",
  ...forBoth(`
    create table chat_initiative (
      community text collate "C" primary key, platform text not null, state text not null, updated_at bigint not null
    ) without rowid;
  `),
}
