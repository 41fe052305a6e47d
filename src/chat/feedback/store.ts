import { newId, type Random } from "../../base/random.ts"
import type { Core } from "../../storage/core.ts"
import type { Database } from "../../storage/database.ts"
import { appendEntry, type By } from "../../storage/journal.ts"
import { sql, sqlList } from "../../storage/sql.ts"
import type { Reader, Transaction } from "../../storage/transaction.ts"
import type { ChannelEvent, ChatMessage, RoomRef } from "../channels/channel.ts"
import { communityKey, roomKey } from "../conversation/state.ts"
import { sentimentOf } from "./sentiment.ts"

/** The kind of a post; a follow-up is an unasked reply to what people talk about. */
export type PostKind = "thought" | "link" | "media" | "follow-up"

/** A post that was unasked or has media. */
export interface RecordedPost {
  community: string
  room: RoomRef
  /** The messages of the post; a reaction to any of them counts. */
  messageIds: readonly string[]
  kind: PostKind
  /** The keys of its discovery sources. */
  sources: readonly string[]
  thoughtId: string | null
  at: number
}

/** Posts are deleted after this. */
const keptMs = 180 * 86_400_000
/** On platforms without replies, a message to us within this time after a post counts as a reply to it. */
const answerMs = 10 * 60_000

/** Stores a post, so that reactions and replies to it count. The same messages again are ignored. */
export async function recordPost(
  { db, random }: Pick<Core, "db" | "random">,
  post: RecordedPost,
): Promise<void> {
  const { community, room, messageIds, kind, sources, thoughtId, at } = post
  const server = communityKey(room)
  await db.write(async (transaction) => {
    if (messageIds.length === 0 || (await postOf(transaction, server, messageIds)) !== undefined) return
    const id = newId(random, "post")
    await transaction.run(sql`
      insert into chat_posts (id, community, room, kind, thought, sources, at)
      values (${id}, ${community}, ${roomKey(room)}, ${kind}, ${thoughtId}, ${JSON.stringify(sources)}, ${at})`)
    for (const message of new Set(messageIds))
      await transaction.run(sql`
        insert into chat_post_messages (place, message, post) values (${server}, ${message}, ${id})`)
    await deleteOldPosts(transaction, at - keptMs)
    const data = { community, kind, sources, posts: messageIds, thought: thoughtId }
    await appendPostEntry(transaction, random, { at, kind: "post.noted", subject: id, data })
  })
}

/** Adds or removes a user's reaction to a post of ours. */
export async function recordReaction(
  { db, random }: Pick<Core, "db" | "random">,
  { room, id, author, emoji, added, at }: Extract<ChannelEvent, { kind: "reaction" }>,
): Promise<void> {
  const community = communityKey(room)
  const post = author.isBot ? undefined : await postOf(db, community, [id])
  if (post === undefined) return
  const value = sentimentOf(emoji)
  const response = { kind: "reaction", author: author.id, what: emoji.slice(0, 100) }
  await db.write(async (transaction) => {
    const changed = added
      ? await putResponse(transaction, { ...response, post, community, value, at })
      : await transaction.run(sql`
          delete from chat_responses where post = ${post} and kind = 'reaction' and author = ${author.id}
            and what = ${response.what}`)
    if (changed === 0) return
    const data = { response: "reaction", added, value }
    await appendPostEntry(transaction, random, { at, kind: "post.responded", subject: post, data })
  })
}

/** Counts a message as a reply, if it replies to a post of ours or addresses us right after one. */
export async function recordReply(
  { db, random }: Pick<Core, "db" | "random">,
  message: ChatMessage,
): Promise<void> {
  const { room, author, replyTo, id, at } = message
  if (message.isOurs || author.isBot || !(replyTo?.isOurs || message.mentionsUs)) return
  const community = communityKey(room)
  const post =
    replyTo === null ? await lastPost(db, roomKey(room), at) : await postOf(db, community, [replyTo.id])
  if (post === undefined) return
  await db.write(async (transaction) => {
    const response = { post, kind: "reply", author: author.id, what: id, community, value: 1, at }
    if ((await putResponse(transaction, response)) === 0) return
    const data = { response: "reply", added: true, value: 1 }
    await appendPostEntry(transaction, random, { at, kind: "post.responded", subject: post, data })
  })
}

/** Deletes an author's responses to posts in a community. */
export async function deleteResponses(
  db: Database,
  room: RoomRef,
  author: string,
  by: By & { at: number },
): Promise<void> {
  const community = communityKey(room)
  await db.write(async (transaction) => {
    const gone = await transaction.run(sql`
      delete from chat_responses where place = ${community} and author = ${author}`)
    if (gone === 0) return
    const data = { responses: gone }
    await appendEntry(transaction, { ...by, kind: "post.forgotten", subject: community, data })
  })
}

/** A post with the responses to it. */
export interface PostResponses {
  room: string
  kind: PostKind
  sources: string[]
  at: number
  /** How many people responded positively, and negatively. */
  liked: number
  disliked: number
  replies: number
  reactions: number
}

/** The posts in a community since a time, or in all of them. */
export async function postsSince(
  on: Reader,
  community: string | undefined,
  since: number,
): Promise<PostResponses[]> {
  const whose = community === undefined ? sql`true` : sql`p.community = ${community}`
  const rows = await on.read<Omit<PostResponses, "sources"> & { sources: string }>(sql`
    select p.room, p.kind, p.sources, p.at,
      count(distinct case when r.value > 0 then r.author end) as liked,
      count(distinct case when r.value < 0 then r.author end) as disliked,
      count(case when r.kind = 'reply' then 1 end) as replies,
      count(case when r.kind = 'reaction' then 1 end) as reactions
    from chat_posts p left join chat_responses r on r.post = p.id
    where ${whose} and p.at >= ${since} group by p.id, p.room, p.kind, p.sources, p.at order by p.at, p.id`)
  return rows.map((row) => ({ ...row, sources: JSON.parse(row.sources) }))
}

export async function postCommunities(on: Reader): Promise<string[]> {
  const rows = await on.read<{ community: string }>(sql`
    select distinct community from chat_posts order by community`)
  return rows.map(({ community }) => community)
}

async function postOf(
  on: Reader,
  community: string,
  messages: readonly string[],
): Promise<string | undefined> {
  const [row] = await on.read<{ post: string }>(sql`
    select post from chat_post_messages where place = ${community} and message in ${sqlList(messages)} limit 1`)
  return row?.post
}

async function lastPost(on: Reader, room: string, at: number): Promise<string | undefined> {
  const [row] = await on.read<{ id: string }>(sql`
    select id from chat_posts where room = ${room} and at > ${at - answerMs} and at <= ${at}
    order by at desc limit 1`)
  return row?.id
}

function putResponse(
  transaction: Transaction,
  response: Record<"post" | "kind" | "author" | "what" | "community", string> & { value: number; at: number },
): Promise<number> {
  const { post, kind, author, what, community, value, at } = response
  return transaction.run(sql`
    insert into chat_responses (post, kind, author, what, place, value, at)
    values (${post}, ${kind}, ${author}, ${what}, ${community}, ${value}, ${at})
    on conflict (post, kind, author, what) do nothing`)
}

async function deleteOldPosts(transaction: Transaction, before: number): Promise<void> {
  const old = sql`select id from chat_posts where at < ${before}`
  await transaction.run(sql`delete from chat_responses where post in (${old})`)
  await transaction.run(sql`delete from chat_post_messages where post in (${old})`)
  await transaction.run(sql`delete from chat_posts where at < ${before}`)
}

/** Journals a change of a post. Authors and texts stay out of the journal. */
async function appendPostEntry(
  transaction: Transaction,
  random: Random,
  entry: { at: number; kind: `post.${string}`; subject: string; data: object },
): Promise<void> {
  await appendEntry(transaction, { operation: newId(random, "op"), actor: "chat", ...entry })
}
