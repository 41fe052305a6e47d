import { join } from "node:path"
import { createSafeFetch, type SafeFetch } from "../../base/net/safe-fetch/safe-fetch.ts"
import type { OutgoingFile, RoomRef } from "../../chat/channels/channel.ts"
import { communityKey } from "../../chat/conversation/state.ts"
import { findMediaKey } from "../../chat/media/keys.ts"
import { type MediaParts, makeMedia, mediaLeft } from "../../chat/media/make-media.ts"
import { type MediaKind, type MediaPlan, mediaKinds } from "../../chat/media/plan.ts"
import type { Purpose } from "../../chat/media/settings.ts"
import { openMediaShelf } from "../../chat/media/shelf.ts"
import type { Host } from "../../config/paths.ts"
import type { MemoryCore } from "../../memory/model/memory-core.ts"

/** Pictures, videos and GIFs for what is said in rooms. */
export interface MediaDesk {
  /** The kinds that something said there may have now; without files only what has a link. */
  offered(room: RoomRef, purpose: Purpose, canAttach: boolean): Promise<MediaKind[]>
  /** How many of each kind posts of its own in a community may still have today; null where none can be made at all. */
  left(community: string): Promise<Record<MediaKind, number> | null>
  /** Makes what a plan says and keeps it until it is posted; or says why there is nothing. */
  make(
    room: RoomRef,
    plan: MediaPlan,
    purpose: Purpose,
    signal: AbortSignal,
  ): Promise<{ attachment: string; usd: number } | { reason: string; usd: number }>
  /** The files of something that was made. */
  find(attachment: string): Promise<OutgoingFile[]>
  /** How long making may take. */
  longestMs: number
}

export function openMediaDesk(
  needs: MemoryCore &
    Pick<Host, "env" | "paths"> & {
      /** How others' servers are reached; given only to try it out. */
      fetch?: SafeFetch | undefined
    },
): MediaDesk {
  const { clock, random, env, paths, config } = needs
  const settings = config.chat.initiative
  const shelf = openMediaShelf({ clock, random }, join(paths.dataDir, "media"))
  const parts: MediaParts = {
    ...{ db: needs.db, clock, random, screen: needs.screen, settings },
    fetch: needs.fetch ?? createSafeFetch({ clock }),
    keyFor: (name) => findMediaKey(env, paths.credentialsFile, settings, name),
  }
  return {
    longestMs: settings.media.timeout_seconds * 1000,
    find: shelf.find,
    async offered(room, purpose, canAttach) {
      const left = await mediaLeft(parts, { community: communityKey(room), purpose, at: clock.now() })
      return mediaKinds.filter((kind) => left[kind] > 0 && (canAttach || kind === "gif"))
    },
    async left(community) {
      const left = await mediaLeft(parts, { community, purpose: "post", at: clock.now() })
      return mediaKinds.some((kind) => left[kind] > 0) ? left : null
    },
    async make(room, plan, purpose, signal) {
      const request = { community: communityKey(room), purpose, at: clock.now(), signal }
      const made = await makeMedia(parts, plan, request)
      const { usd = 0 } = made
      if (made.outcome === "refused") return { reason: made.reason, usd }
      return { attachment: await shelf.put(made.files), usd }
    },
  }
}
