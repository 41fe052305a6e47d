import { join } from "node:path"
import { createSafeFetch, type SafeFetch } from "../../base/net/safe-fetch/safe-fetch.ts"
import type { OutgoingFile, RoomRef } from "../../chat/channels/channel.ts"
import { communityKey } from "../../chat/conversation/state.ts"
import { findMediaKey } from "../../chat/media/keys.ts"
import { type MediaNeeds, makeMedia, mediaLeft } from "../../chat/media/make-media.ts"
import { openPendingFiles } from "../../chat/media/pending-files.ts"
import { type MediaKind, type MediaPlan, mediaKinds } from "../../chat/media/plan.ts"
import type { Purpose } from "../../chat/media/settings.ts"
import type { Host } from "../../config/paths.ts"
import type { MemoryCore } from "../../memory/model/memory-core.ts"

/** Pictures, videos and GIFs for replies and posts. */
export interface ChatMedia {
  /** The kinds that a message in a room may have now; without files, only those with a link. */
  offered(room: RoomRef, purpose: Purpose, canAttach: boolean): Promise<MediaKind[]>
  /** How many of each kind a community's own posts may still have; null if none. */
  left(community: string): Promise<Record<MediaKind, number> | null>
  /** Makes the media of a plan and stores them until they are posted; or says why not. */
  make(
    room: RoomRef,
    plan: MediaPlan,
    purpose: Purpose,
    signal: AbortSignal,
  ): Promise<{ attachment: string; usd: number } | { reason: string; usd: number }>
  find(attachment: string): Promise<OutgoingFile[]>
  /** The time limit for making media. */
  longestMs: number
}

export function openChatMedia(
  needs: MemoryCore &
    Pick<Host, "env" | "paths"> & {
      /** Replaces how providers are reached, in tests. */
      fetch?: SafeFetch | undefined
    },
): ChatMedia {
  const { clock, random, env, paths, config } = needs
  const settings = config.chat.initiative
  const files = openPendingFiles({ clock, random }, join(paths.dataDir, "media"))
  const parts: MediaNeeds = {
    ...{ db: needs.db, clock, random, screen: needs.screen, settings },
    fetch: needs.fetch ?? createSafeFetch({ clock }),
    keyFor: (name) => findMediaKey(env, paths.credentialsFile, settings, name),
  }
  return {
    longestMs: settings.media.timeout_seconds * 1000,
    find: files.find,
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
      return { attachment: await files.put(made.files), usd }
    },
  }
}
