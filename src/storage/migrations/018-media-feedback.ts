/** What chat made and posted: pictures, videos and GIFs against their budgets, and how people took each post. */
export const mediaFeedback = {
  version: 18,
  name: "media-feedback",
  sqlite: `
    create table chat_media (
      id text primary key, community text not null, kind text not null, state text not null, counts integer not null,
      at integer not null
    ) strict, without rowid;
    create index chat_media_by_time on chat_media (community, kind, at);
    create table chat_posts (
      id text primary key, community text not null, room text not null, kind text not null, thought text,
      sources text not null, at integer not null
    ) strict, without rowid;
    create index chat_posts_by_community on chat_posts (community, at);
    create index chat_posts_by_room on chat_posts (room, at);
    create table chat_post_messages (
      place text not null, message text not null, post text not null, primary key (place, message)
    ) strict, without rowid;
    create index chat_post_messages_by_post on chat_post_messages (post);
    create table chat_responses (
      post text not null, kind text not null, author text not null, what text not null, place text not null,
      value integer not null, at integer not null, primary key (post, kind, author, what)
    ) strict, without rowid;
    create index chat_responses_by_author on chat_responses (place, author);
  `,
  postgres: `
    create table chat_media (
      id text collate "C" primary key, community text collate "C" not null, kind text not null, state text not null,
      counts bigint not null, at bigint not null
    );
    create index chat_media_by_time on chat_media (community, kind, at);
    create table chat_posts (
      id text collate "C" primary key, community text collate "C" not null, room text collate "C" not null,
      kind text not null, thought text, sources text not null, at bigint not null
    );
    create index chat_posts_by_community on chat_posts (community, at);
    create index chat_posts_by_room on chat_posts (room, at);
    create table chat_post_messages (
      place text collate "C" not null, message text collate "C" not null, post text collate "C" not null,
      primary key (place, message)
    );
    create index chat_post_messages_by_post on chat_post_messages (post);
    create table chat_responses (
      post text collate "C" not null, kind text collate "C" not null, author text collate "C" not null,
      what text collate "C" not null, place text collate "C" not null, value bigint not null, at bigint not null,
      primary key (post, kind, author, what)
    );
    create index chat_responses_by_author on chat_responses (place, author);
  `,
}
