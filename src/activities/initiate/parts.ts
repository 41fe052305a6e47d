import type { OutgoingFile, RoomRef } from "../../chat/channels/channel.ts"
import type { SourceFeedback } from "../../chat/discovery/choose/rank.ts"
import type { MediaPlan } from "../../chat/initiative/thought.ts"

/** What came of making an image, a video or a GIF. */
type Made =
  /** `link` stands for it where it is on the web, as GIFs are. */
  | {
      outcome: "made"
      files: readonly OutgoingFile[]
      link?: string | undefined
      usd?: number | undefined
    }
  | { outcome: "refused"; reason: string }

/** How posts were taken: by source, with the sentences that a model is told of it. */
export interface Performance {
  bySource: ReadonlyMap<string, SourceFeedback>
  /** What is known of the sources, a line each. */
  sources: readonly string[]
  /** What people seem to like and not to like, a sentence each. */
  guidance: readonly string[]
}

/** A post of its own, for whoever counts how it is taken. */
interface OwnPost {
  community: string
  room: RoomRef
  messageIds: readonly string[]
  kind: "thought" | "link" | "media"
  sources: readonly string[]
  thoughtId: string
  at: number
}

/** What a look uses of media and feedback, whichever there are. */
export interface InitiativeParts {
  media: {
    make(plan: MediaPlan, about: { community: string; at: number; signal: AbortSignal }): Promise<Made>
    /** How many may still be made today; null where there is no way to make any. */
    left(community: string): Promise<Record<MediaPlan["kind"], number> | null>
  }
  feedback: {
    notePost(post: OwnPost): Promise<void>
    performance(community: string): Promise<Performance>
  }
}

/** Neither media nor feedback. */
export const noParts: InitiativeParts = {
  media: {
    make: async () => ({ outcome: "refused", reason: "Nothing that makes media is set up." }),
    left: async () => null,
  },
  feedback: {
    notePost: async () => undefined,
    performance: async () => ({ bySource: new Map(), sources: [], guidance: [] }),
  },
}
