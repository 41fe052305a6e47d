import { isoTime } from "../../base/clock.ts"
import { shorten } from "../../base/text/text.ts"
import type { RoomRef } from "../../chat/channels/channel.ts"
import type { RoomPolicy } from "../../chat/policy/room-policy.ts"
import { neutralised } from "../../llm/fence.ts"
import { retrieve } from "../../memory/find/retrieve.ts"
import type { MemoryCore } from "../../memory/model/memory-core.ts"
import { audienceOf, speakerIn } from "./audience.ts"

/** The query is cut to its last characters. */
const maxQuery = 1000

/**
 * Searches a community's memories; returns a line for each. Chat sees no other memories: those of other communities,
 * private messages and the user's own work have another audience.
 */
export async function recallFor(
  needs: MemoryCore,
  policy: Pick<RoomPolicy, "isBlocked">,
  room: RoomRef,
  { query, limit, isAsked }: { query: string; limit: number; isAsked: boolean },
): Promise<string[]> {
  if (query.trim() === "") return []
  const { hits } = await retrieve(needs, {
    query: query.slice(-maxQuery),
    limit,
    onlyAudience: audienceOf(room),
    isUnasked: !isAsked,
  })
  return hits
    .filter(({ memory }) => !policy.isBlocked({ id: speakerOf(room, memory.sessionId) }))
    .map(
      ({ memory }) =>
        `- ${neutralised(shorten(memory.content, 400))} (${isoTime(memory.createdAt).slice(0, 10)})`,
    )
}

/** The author of a memory, because those of users who were blocked since are left out. */
function speakerOf(room: RoomRef, session: string | null): string {
  const prefix = speakerIn(room, "")
  return session?.startsWith(prefix) ? session.slice(prefix.length) : ""
}
