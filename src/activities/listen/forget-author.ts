import { splitAddress } from "../../chat/attention/address.ts"
import type { RoomRef } from "../../chat/channels/channel.ts"
import { selectMemories } from "../../memory/model/store/store.ts"
import { forget } from "../../memory/write/change/forget-restore.ts"
import type { Core } from "../../storage/core.ts"
import type { By } from "../../storage/journal.ts"
import { joinSql, type Sql, sql } from "../../storage/sql.ts"
import { audienceOf, sourceOf, speakerIn } from "./audience.ts"

/** Forgets the memories from an author's messages in a community; returns how many. */
export function forgetLearned(needs: Core, room: RoomRef, author: string, by: By): Promise<number> {
  return forgetWhere(needs, room, sql`m.session_id = ${speakerIn(room, author)}`, by)
}

/** Forgets the memories from deleted messages. */
export async function forgetMessages(
  needs: Core,
  room: RoomRef,
  messages: readonly string[],
  by: By,
): Promise<number> {
  const from = messages.map((id) => {
    const source = `${sourceOf(room, id)}#`
    return sql`substr(m.source_id, 1, ${source.length}) = ${source}`
  })
  return from.length === 0 ? 0 : forgetWhere(needs, room, sql`(${joinSql(from, sql` or `)})`, by)
}

async function forgetWhere(needs: Core, room: RoomRef, where: Sql, by: By): Promise<number> {
  const all = sql`m.audience = ${audienceOf(room)} and m.status <> 'forgotten' and ${where}`
  const ids = (await selectMemories(needs.db, all)).map(({ id }) => id)
  if (ids.length > 0) await forget(needs, ids, by)
  return ids.length
}

const forgetRequest =
  /^(?:please[, ]+|hey[, ]+|can you |could you |would you )*forget (?:about )?(?:me[\s.!,]*(?:please)?[\s.!]*$|(?:everything|anything|all|the things?|what|whatever)(?: that)? (?:you know about me|about me|i(?:'ve|’ve| have| ever)? (?:said|told|wrote|written|shared|posted))\b)/i

/** Whether a message asks in plain English to forget its author; the model has a tool for other wordings. */
export function asksToForget(text: string, names: readonly string[]): boolean {
  if (text.length > 200) return false
  const variants = [
    text,
    text.replace(/^\s*@[\p{L}\p{N}_-]{2,40}[\s,:]+/u, ""),
    splitAddress(text, names) ?? "",
  ]
  return variants.some((one) => forgetRequest.test(one.trim()))
}
