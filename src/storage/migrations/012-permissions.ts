import { forBoth } from "./migration.ts"

/** Actions that wait for a person, and what was decided about them. */
export const permissions = {
  version: 12,
  name: "permissions",
  ...forBoth(`
    create table permission_requests (
      id text primary key, install text not null, asked_by text not null, project text, action text not null,
      urgency text not null, waits integer not null, state text not null, shown text not null, digest text not null,
      created_at bigint not null, expires_at bigint not null, decided_at bigint, decided_by text, decided_from text,
      answer text, edited text, outcome text, told_at bigint
    );
    create index permission_requests_by_state on permission_requests (install, state, created_at);
    create index permission_requests_by_action on permission_requests (install, action);
    create table approval_tokens (
      id text primary key, install text not null, request text not null, digest text not null, person text not null,
      expires_at bigint not null, used_at bigint
    );
    create table notices (
      id text primary key, install text not null, channel text not null, state text not null, about text not null,
      urgency text not null, created_at bigint not null, due_at bigint not null, attempts integer not null,
      sent_at bigint, problem text
    );
    create index notices_by_due on notices (install, state, due_at);
    create table notice_positions (install text primary key, heard_to bigint not null);
  `),
}
