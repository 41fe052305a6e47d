import { isoTime } from "../../base/clock.ts"
import { shorten } from "../../base/text/text.ts"
import type { RoomRef } from "../../chat/channels/channel.ts"
import type { RoomPolicy } from "../../chat/policy/room-policy.ts"
import { neutralised } from "../../llm/fence.ts"
import { type RetrieveNeeds, retrieve } from "../../memory/find/retrieve.ts"
import { audienceOf, speakerIn } from "./audience.ts"

/** So much of what is talked about is looked for. */
const longestQuery = 1000

/**
 * What a community's own memory knows about something, a line each. This is all of the memory that chat ever sees: nothing
 * of another community, of private talk, or of the user's own work has this audience.
 */
export async function recallFor(
  needs: RetrieveNeeds,
  policy: Pick<RoomPolicy, "isBlocked">,
  room: RoomRef,
  { query, limit, isAsked }: { query: string; limit: number; isAsked: boolean },
): Promise<string[]> {
  if (query.trim() === "") return []
  const { hits } = await retrieve(needs, {
    query: query.slice(-longestQuery),
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

/** Who said it: somebody who was blocked since is not quoted either. */
function speakerOf(room: RoomRef, session: string | null): string {
  const prefix = speakerIn(room, "")
  return session?.startsWith(prefix) ? session.slice(prefix.length) : ""
}
