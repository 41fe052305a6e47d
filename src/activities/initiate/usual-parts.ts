import type { RoomRef } from "../../chat/channels/channel.ts"
import { guidance, performance, type Taken } from "../../chat/feedback/performance.ts"
import { notePost } from "../../chat/feedback/store.ts"
import type { RoomPolicy } from "../../chat/policy/room-policy.ts"
import type { Core } from "../../storage/core.ts"
import type { MediaDesk } from "../listen/media-desk.ts"
import type { InitiativeParts } from "./parts.ts"

interface PartsNeeds extends Pick<Core, "db" | "clock" | "random"> {
  media: MediaDesk
  policy(room: RoomRef): RoomPolicy
}

/** Media from the desk that answers use too, so that both share one budget, and feedback from what people did. */
export function usualParts(needs: PartsNeeds): InitiativeParts {
  const { media, policy } = needs
  return {
    media: {
      async make(plan, { room, signal }) {
        const { attaches } = policy(room)
        if (!attaches.is) return { outcome: "refused", reason: attaches.why }
        const made = await media.make(room, plan, "post", signal)
        return "attachment" in made ? { outcome: "made", ...made } : { outcome: "refused", ...made }
      },
      left: media.left,
    },
    feedback: {
      notePost: (post) => notePost(needs, post),
      async performance(community) {
        const taken = await performance(needs, community)
        const sources = [...taken.bySource].map(([source, one]) => sourceLine(source, one))
        return { bySource: taken.bySource, sources, guidance: guidance(taken) }
      },
    },
  }
}

function sourceLine(source: string, { shared, liked, disliked, ignored }: Taken): string {
  return `${source}: posted ${shared} times; liked ${liked}, disliked ${disliked}, ignored ${ignored}.`
}
