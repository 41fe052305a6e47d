import { forBoth } from "./migration.ts"

/** Cycles of the ambient agent, what it has planned for later, what asks to wake it, and how far the garden has come. */
export const cycles = {
  version: 6,
  name: "cycles",
  ...forBoth(`
    create table cycles (
      id text collate "C" primary key, install text not null, started_at bigint not null, ended_at bigint,
      status text not null, trigger_kind text not null, model text, summary text, receipt text not null,
      progress text not null, verdict text
    ) without rowid;
    create index cycles_by_time on cycles (install, started_at);
    create table cycle_messages (
      cycle text collate "C" not null references cycles (id) on delete cascade, position bigint not null,
      at bigint not null, message text not null, primary key (cycle, position)
    ) without rowid;
    create table queue_items (
      id text collate "C" primary key, install text not null, priority bigint not null, due_at bigint not null,
      context text not null, project text, created_by text not null, created_at bigint not null,
      state text not null, cycle text, attempts bigint not null, ended_at bigint, outcome text
    ) without rowid;
    create index queue_items_waiting on queue_items (install, state, priority, due_at);
    create table wake_requests (
      id text collate "C" primary key, install text not null, kind text not null, priority bigint not null,
      at bigint not null, about text, cycle text
    ) without rowid;
    create index wake_requests_open on wake_requests (install, cycle, priority);
    create table ambient_states (
      install text collate "C" primary key, state text not null, version bigint not null, updated_at bigint not null
    ) without rowid;
    create table garden_marks (
      name text collate "C" primary key, mark text not null, updated_at bigint not null
    ) without rowid;
  `),
}
