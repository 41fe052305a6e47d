import { forBoth } from "./migration.ts"

/** What chat made and posted: pictures, videos and GIFs against their budgets, and how people took each post. */
export const mediaFeedback = {
  version: 18,
  name: "media-feedback",
  ...forBoth(`
    create table chat_media (
      id text collate "C" primary key, community text collate "C" not null, kind text not null, state text not null,
      counts bigint not null, at bigint not null
    ) without rowid;
    create index chat_media_by_time on chat_media (community, kind, at);
    create table chat_posts (
      id text collate "C" primary key, community text collate "C" not null, room text collate "C" not null,
      kind text not null, thought text, sources text not null, at bigint not null
    ) without rowid;
    create index chat_posts_by_community on chat_posts (community, at);
    create index chat_posts_by_room on chat_posts (room, at);
    create table chat_post_messages (
      place text collate "C" not null, message text collate "C" not null, post text collate "C" not null,
      primary key (place, message)
    ) without rowid;
    create index chat_post_messages_by_post on chat_post_messages (post);
    create table chat_responses (
      post text collate "C" not null, kind text collate "C" not null, author text collate "C" not null,
      what text collate "C" not null, place text collate "C" not null, value bigint not null, at bigint not null,
      primary key (post, kind, author, what)
    ) without rowid;
    create index chat_responses_by_author on chat_responses (place, author);
  `),
}
