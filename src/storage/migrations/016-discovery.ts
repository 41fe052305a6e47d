import { forBoth } from "./migration.ts"

/** What chat reads outside: sources the agent added, how each source went, its entries, and links posted in a community. */
export const discovery = {
  version: 16,
  name: "discovery",
  ...forBoth(`
    create table discovery_sources (
      community text collate "C" not null, source text collate "C" not null, family text not null, value text not null,
      title text not null, added_at bigint not null, primary key (community, source)
    ) without rowid;
    create table discovery_states (
      source text collate "C" primary key, etag text, last_modified text, fetched_at bigint not null,
      next_at bigint not null, failures bigint not null, error text
    ) without rowid;
    create table discovery_items (
      source text collate "C" not null, url text collate "C" not null, link text not null, title text not null,
      summary text not null, published_at bigint, popularity double precision, is_nsfw bigint not null,
      first_seen_at bigint not null, last_seen_at bigint not null, primary key (source, url)
    ) without rowid;
    create table discovery_links (
      community text collate "C" not null, url text collate "C" not null, posted_by text not null, source text,
      at bigint not null, primary key (community, url)
    ) without rowid;
    create index discovery_links_by_time on discovery_links (at);
  `),
}
