import { forBoth } from "./migration.ts"

/** What each conversation in a chat channel knows, and what is counted of each room and day. */
export const chat = {
  version: 14,
  name: "chat",
  ...forBoth(`
    create table chat_conversations (
      room text collate "C" primary key, platform text not null, community text not null, place text not null,
      state text not null, is_open bigint not null, updated_at bigint not null
    ) without rowid;
    create index chat_conversations_open on chat_conversations (platform) where is_open = 1;
    create index chat_conversations_by_time on chat_conversations (platform, updated_at);
    create table chat_usage (
      room text collate "C" not null, day text collate "C" not null, platform text not null, community text not null,
      messages bigint not null, calls bigint not null, replies bigint not null, silences bigint not null,
      micro_usd bigint not null, primary key (room, day)
    ) without rowid;
    create index chat_usage_by_day on chat_usage (day, platform, community);
  `),
}
