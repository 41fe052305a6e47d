import { forBoth } from "./migration.ts"

/**
 * The ledger of calls to models, ours and the user's own; what was read about limits; how each pool stands; and how
 * far files that others write have been read. Each installation has its own: in a team's database everybody has
 * subscriptions of their own.
 */
export const models = {
  version: 4,
  name: "models",
  ...forBoth(`
    create table model_calls (
      id text collate "C" primary key, install text not null, at bigint not null, source text not null,
      cycle text, pool text not null, way text not null, model text not null,
      input bigint not null, cached_input bigint not null, output bigint not null,
      cost_usd double precision, latency_ms bigint, outcome text not null, reason text
    ) without rowid;
    create index model_calls_by_time on model_calls (install, at, source);
    create index model_calls_by_pool on model_calls (install, pool, at);
    create index model_calls_by_cycle on model_calls (cycle) where cycle is not null;
    create table limit_readings (
      install text collate "C" not null, pool text collate "C" not null, name text collate "C" not null,
      at bigint not null, unit text not null, capacity double precision not null, used double precision not null,
      resets_at bigint, length_ms bigint, learned_from text not null, primary key (install, pool, name, at)
    ) without rowid;
    create table pool_states (
      install text collate "C" not null, pool text collate "C" not null, refusals bigint not null,
      refused_at bigint, blocked_until bigint, calm bigint not null, failures bigint not null,
      stopped_at bigint, reason text, updated_at bigint not null, primary key (install, pool)
    ) without rowid;
    create table read_positions (
      install text collate "C" not null, reader text collate "C" not null, file text collate "C" not null,
      position bigint not null, state text not null, at bigint not null, primary key (install, reader, file)
    ) without rowid;
  `),
}
