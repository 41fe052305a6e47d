import type { Clock } from "../../base/clock.ts"
import type { Reader } from "../../storage/transaction.ts"
import type { SourceFeedback } from "../discovery/choose/rank.ts"
import { type PostKind, type PostResponses, postsSince } from "./store.ts"

/** How people took some posts. `shared` are those of which it is known by now, each liked, disliked or ignored. */
export interface Taken extends SourceFeedback {
  disliked: number
  ignored: number
  replies: number
  reactions: number
  lastAt: number
}

/** How a community took what was posted, by where it came from, where it was said, and what it was. */
export interface Performance {
  bySource: Map<string, Taken>
  byChannel: Map<string, Taken>
  byKind: Map<PostKind, Taken>
  byChannelAndKind: Map<string, { room: string; kind: PostKind; taken: Taken }>
}

/** So long people have to answer or react before a post counts as ignored. */
const patienceMs = 12 * 3_600_000
/** What was longer ago says nothing about now. */
const countedMs = 90 * 86_400_000

/** Reads how a community took what was posted there lately; all communities together without one. */
export async function performance(
  { db, clock }: { db: Reader; clock: Clock },
  community?: string,
): Promise<Performance> {
  const now = clock.now()
  const found: Performance = {
    bySource: new Map(),
    byChannel: new Map(),
    byKind: new Map(),
    byChannelAndKind: new Map(),
  }
  for (const post of await postsSince(db, community, now - countedMs)) {
    for (const source of new Set(post.sources)) add(ofKey(found.bySource, source), post, now)
    add(ofKey(found.byChannel, post.room), post, now)
    add(ofKey(found.byKind, post.kind), post, now)
    const key = `${post.kind} ${post.room}`
    const both = found.byChannelAndKind.get(key) ?? { room: post.room, kind: post.kind, taken: none() }
    found.byChannelAndKind.set(key, both)
    add(both.taken, post, now)
  }
  return found
}

const none = (): Taken => ({
  ...{ shared: 0, liked: 0, disliked: 0, ignored: 0, replies: 0, reactions: 0, lastAt: 0 },
})

function ofKey<K>(map: Map<K, Taken>, key: K): Taken {
  const taken = map.get(key) ?? none()
  map.set(key, taken)
  return taken
}

function add(taken: Taken, post: PostResponses, now: number): void {
  taken.replies += post.replies
  taken.reactions += post.reactions
  taken.lastAt = Math.max(taken.lastAt, post.at)
  if (post.liked > post.disliked) taken.liked += 1
  else if (post.disliked > 0) taken.disliked += 1
  else if (now - post.at >= patienceMs) taken.ignored += 1
  taken.shared = taken.liked + taken.disliked + taken.ignored
}

/** Fewer posts say nothing yet. */
const fewest = 3
const mostSentences = 8

const subjects: Record<PostKind, string> = {
  thought: "Thoughts of your own",
  link: "Posts with a link",
  media: "Posts with a picture, video or GIF",
  "follow-up": "Things you said unasked",
}

/** What can be learned from it, in short sentences for a model; `nameOf` gives what a room is called. */
export function guidance(
  { byChannelAndKind, bySource }: Performance,
  nameOf: (room: string) => string = (room) => room,
): string[] {
  const told = [
    ...[...byChannelAndKind.values()].map(({ room, kind, taken }) => ({
      ...{ subject: `${subjects[kind]} in ${nameOf(room)} were`, taken },
    })),
    ...[...bySource].map(([source, taken]) => ({ subject: `Posts about entries of ${source} were`, taken })),
  ]
  return told
    .filter(({ taken }) => taken.shared >= fewest)
    .sort((a, b) => b.taken.shared - a.taken.shared)
    .flatMap(({ subject, taken }) => sentenceOf(subject, taken))
    .slice(0, mostSentences)
}

function sentenceOf(subject: string, { shared, liked, disliked, ignored }: Taken): string[] {
  const each = [
    { many: disliked, least: 0.3, word: "disliked" },
    { many: ignored, least: 0.6, word: "ignored" },
    { many: liked, least: 0.6, word: "liked" },
  ]
  const found = each.find(({ many, least }) => many / shared >= least)
  return found ? [`${subject} ${found.word} ${found.many} of ${shared} times.`] : []
}
