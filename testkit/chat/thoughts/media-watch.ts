import type { MediaKind } from "../../../src/chat/media/plan.ts"
import type { MediaSettings } from "../../../src/chat/media/settings.ts"
import type { Moment, Timeline } from "./timeline.ts"

const dayMs = 86_400_000

/** Watches how many of each kind are asked for in each community, whoever wants them. */
export interface MediaWatch {
  /** Something is wanted. `works`: a server works for it. `ended`: nothing came of it for that reason, or it is there. */
  ordered(community: string, kind: MediaKind): { works(): void; ended(reason: string | null): void }
}

export function createMediaWatch(
  timeline: Timeline,
  settings: () => MediaSettings,
  broken: (invariant: "media budgets", what: string) => void,
): MediaWatch {
  /** What servers worked for, and what may have been reserved for that, by community and kind. */
  const worked = new Map<string, Moment[]>()
  const reserved = new Map<string, Set<Moment>>()
  const most = (kind: MediaKind) => {
    const { max_images_per_day, max_videos_per_day, max_gifs_per_day } = settings().discovery
    return { image: max_images_per_day, video: max_videos_per_day, gif: max_gifs_per_day }[kind]
  }
  return {
    ordered(community, kind) {
      const key = `${community} ${kind}`
      const own = reserved.get(key) ?? new Set()
      reserved.set(key, own)
      const moment = timeline.moment()
      own.add(moment)
      let hasWorked = false
      return {
        works() {
          hasWorked = true
          const all = worked.get(key) ?? []
          worked.set(key, [...all, timeline.moment()])
          // Within a day whichever way anybody counts it.
          const used = all.filter((one) => timeline.most(one) < dayMs).length
          if (used >= most(kind))
            broken("media budgets", `${key}: one more than ${most(kind)} within 24 hours`)
        },
        ended(reason) {
          if (!hasWorked) own.delete(moment)
          if (reason === null || !reason.includes("used up")) return
          const used = [...own].filter((one) => timeline.least(one) < dayMs).length
          if (used < most(kind))
            broken("media budgets", `${key}: refused with ${used} of ${most(kind)} used (${reason})`)
        },
      }
    },
  }
}
