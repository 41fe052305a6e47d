import type { Clock } from "../../base/clock.ts"
import type { Reader } from "../../storage/transaction.ts"
import type { SourceFeedback } from "../discovery/choose/rank.ts"
import { type PostKind, type PostResponses, postsSince } from "./store.ts"

/** How people responded to some posts. `shared` counts those with a known result: liked, disliked or ignored. */
export interface ResponseTotals extends SourceFeedback {
  disliked: number
  ignored: number
  replies: number
  reactions: number
  lastAt: number
}

/** How a community responded to posts, by source, and by channel and kind. */
export interface Performance {
  bySource: Map<string, ResponseTotals>
  byChannelAndKind: Map<string, { room: string; kind: PostKind; taken: ResponseTotals }>
}

/** A post without a response counts as ignored after this. */
const ignoredAfterMs = 12 * 3_600_000
/** Older posts are not counted. */
const countedMs = 90 * 86_400_000

export function emptyPerformance(): Performance {
  return { bySource: new Map(), byChannelAndKind: new Map() }
}

/** Reads how a community responded to recent posts; without one, all communities together. */
export async function performance(
  { db, clock }: { db: Reader; clock: Clock },
  community?: string,
): Promise<Performance> {
  const now = clock.now()
  const found = emptyPerformance()
  for (const post of await postsSince(db, community, now - countedMs)) {
    for (const source of new Set(post.sources)) {
      const totals = found.bySource.get(source) ?? none()
      found.bySource.set(source, totals)
      add(totals, post, now)
    }
    const key = `${post.kind} ${post.room}`
    const both = found.byChannelAndKind.get(key) ?? { room: post.room, kind: post.kind, taken: none() }
    found.byChannelAndKind.set(key, both)
    add(both.taken, post, now)
  }
  return found
}

const none = (): ResponseTotals => ({
  shared: 0,
  liked: 0,
  disliked: 0,
  ignored: 0,
  replies: 0,
  reactions: 0,
  lastAt: 0,
})

function add(taken: ResponseTotals, post: PostResponses, now: number): void {
  taken.replies += post.replies
  taken.reactions += post.reactions
  taken.lastAt = Math.max(taken.lastAt, post.at)
  if (post.liked > post.disliked) taken.liked += 1
  else if (post.disliked > 0) taken.disliked += 1
  else if (now - post.at >= ignoredAfterMs) taken.ignored += 1
  taken.shared = taken.liked + taken.disliked + taken.ignored
}

/** Fewer posts than this are no basis for guidance. */
const minPosts = 3
const maxSentences = 8

const subjects: Record<PostKind, string> = {
  thought: "Thoughts of your own",
  link: "Posts with a link",
  media: "Posts with a picture, video or GIF",
  "follow-up": "Things you said unasked",
}

/** Short sentences for a model about what people liked; `nameOf` gives the name of a room. */
export function guidance(
  { byChannelAndKind, bySource }: Performance,
  nameOf: (room: string) => string = (room) => room,
): string[] {
  const groups = [
    ...[...byChannelAndKind.values()].map(({ room, kind, taken }) => {
      return { subject: `${subjects[kind]} in ${nameOf(room)} were`, taken }
    }),
    ...[...bySource].map(([source, taken]) => ({ subject: `Posts about entries of ${source} were`, taken })),
  ]
  return groups
    .filter(({ taken }) => taken.shared >= minPosts)
    .sort((a, b) => b.taken.shared - a.taken.shared)
    .flatMap(({ subject, taken }) => sentenceOf(subject, taken))
    .slice(0, maxSentences)
}

function sentenceOf(subject: string, { shared, liked, disliked, ignored }: ResponseTotals): string[] {
  const each = [
    { many: disliked, least: 0.3, word: "disliked" },
    { many: ignored, least: 0.6, word: "ignored" },
    { many: liked, least: 0.6, word: "liked" },
  ]
  const found = each.find(({ many, least }) => many / shared >= least)
  return found ? [`${subject} ${found.word} ${found.many} of ${shared} times.`] : []
}
