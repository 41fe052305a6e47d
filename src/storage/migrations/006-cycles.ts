/** Cycles of the ambient agent, what it has planned for later, what asks to wake it, and how far the garden has come. */
export const cycles = {
  version: 6,
  name: "cycles",
  sqlite: `
    create table cycles (
      id text primary key, install text not null, started_at integer not null, ended_at integer, status text not null,
      trigger_kind text not null, model text, summary text, receipt text not null, progress text not null,
      verdict text
    ) strict, without rowid;
    create index cycles_by_time on cycles (install, started_at);
    create table cycle_messages (
      cycle text not null references cycles (id) on delete cascade, position integer not null, at integer not null,
      message text not null, primary key (cycle, position)
    ) strict, without rowid;
    create table queue_items (
      id text primary key, install text not null, priority integer not null, due_at integer not null,
      context text not null, project text, created_by text not null, created_at integer not null,
      state text not null, cycle text, attempts integer not null, ended_at integer, outcome text
    ) strict, without rowid;
    create index queue_items_waiting on queue_items (install, state, priority, due_at);
    create table wake_requests (
      id text primary key, install text not null, kind text not null, priority integer not null, at integer not null,
      about text, cycle text
    ) strict, without rowid;
    create index wake_requests_open on wake_requests (install, cycle, priority);
    create table ambient_states (
      install text primary key, state text not null, version integer not null, updated_at integer not null
    ) strict, without rowid;
    create table garden_marks (
      name text primary key, mark text not null, updated_at integer not null
    ) strict, without rowid;
  `,
  postgres: `
    create table cycles (
      id text collate "C" primary key, install text not null, started_at bigint not null, ended_at bigint,
      status text not null, trigger_kind text not null, model text, summary text, receipt text not null,
      progress text not null, verdict text
    );
    create index cycles_by_time on cycles (install, started_at);
    create table cycle_messages (
      cycle text collate "C" not null references cycles (id) on delete cascade, position bigint not null,
      at bigint not null, message text not null, primary key (cycle, position)
    );
    create table queue_items (
      id text collate "C" primary key, install text not null, priority bigint not null, due_at bigint not null,
      context text not null, project text, created_by text not null, created_at bigint not null,
      state text not null, cycle text, attempts bigint not null, ended_at bigint, outcome text
    );
    create index queue_items_waiting on queue_items (install, state, priority, due_at);
    create table wake_requests (
      id text collate "C" primary key, install text not null, kind text not null, priority bigint not null,
      at bigint not null, about text, cycle text
    );
    create index wake_requests_open on wake_requests (install, cycle, priority);
    create table ambient_states (
      install text collate "C" primary key, state text not null, version bigint not null, updated_at bigint not null
    );
    create table garden_marks (
      name text collate "C" primary key, mark text not null, updated_at bigint not null
    );
  `,
}
