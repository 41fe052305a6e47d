import type { Random } from "../../../base/random.ts"
import { type Term, termsOf } from "../../../language/terms.ts"
import type { DiscoveryConfig } from "../sources/source.ts"
import type { StoredItem } from "../store.ts"
import { type Topics, topicMatch } from "./topics.ts"

/** How a community responded to a source. */
export interface SourceFeedback {
  shared: number
  liked: number
}

/** An entry that could be posted, with its score. */
export interface Candidate extends StoredItem {
  score: number
}

interface RankInput {
  items: readonly StoredItem[]
  topics: Topics
  /** By the source's key. */
  feedback: ReadonlyMap<string, SourceFeedback>
  /** Canonical addresses that were posted in the community already. */
  posted: ReadonlySet<string>
  now: number
  random: Random
}

type RankConfig = Pick<
  DiscoveryConfig,
  "freshness_hours" | "allow_nsfw" | "randomness" | "max_candidates_for_prompt"
>

/** The weights of a score; the random part is added by `randomness`. */
const weights = { freshness: 0.25, popularity: 0.15, topic: 0.35, liked: 0.25 }
const mostChance = 0.5
/** The penalty for each entry of the same source that was chosen before. */
const sameSource = 0.12
/** Titles that share this much of their words are the same news. */
const sameNews = 0.6

/** The best entries: fresh, new to the community, from different sources and about different news. */
export function rank(config: RankConfig, input: RankInput): Candidate[] {
  const usable = onePerUrl(input.items.filter((item) => isUsable(config, input, item)))
  const popular = popularityIn(usable)
  const scored = usable.map((item) => score(config, input, item, popular(item)))
  return diverse(scored, config.max_candidates_for_prompt)
}

function isUsable(config: RankConfig, { posted, now }: RankInput, item: StoredItem): boolean {
  if (item.isNsfw && !config.allow_nsfw) return false
  return !posted.has(item.url) && now - appearedAt(item) <= config.freshness_hours * 3_600_000
}

/** An entry is never newer than when it was first seen, whatever time it claims. */
function appearedAt({ publishedAt, firstSeenAt }: StoredItem): number {
  return Math.min(publishedAt ?? firstSeenAt, firstSeenAt)
}

/** If several sources have the same page, the most popular entry stays. */
function onePerUrl(items: readonly StoredItem[]): StoredItem[] {
  const byUrl = new Map<string, StoredItem>()
  for (const item of items) {
    const other = byUrl.get(item.url)
    if (other === undefined || (item.popularity ?? -1) > (other.popularity ?? -1)) byUrl.set(item.url, item)
  }
  return [...byUrl.values()]
}

/** The popularity rank of an entry within its family, from 0 to 1: views and points cannot be compared. */
function popularityIn(items: readonly StoredItem[]): (item: StoredItem) => number {
  const familyOf = ({ source }: StoredItem) => source.slice(0, source.indexOf(":"))
  const counts = Map.groupBy(
    items.filter(({ popularity }) => popularity !== null),
    familyOf,
  )
  const sorted = new Map(
    [...counts].map(([family, all]) => [
      family,
      all.map(({ popularity }) => popularity ?? 0).sort((a, b) => a - b),
    ]),
  )
  return (item) => {
    const all = sorted.get(familyOf(item))
    if (item.popularity === null || all === undefined || all.length < 2) return 0.5
    const below = all.filter((count) => count < (item.popularity ?? 0)).length
    return below / (all.length - 1)
  }
}

function score(
  config: RankConfig,
  { topics, feedback, now, random }: RankInput,
  item: StoredItem,
  popularity: number,
): Candidate {
  const age = (now - appearedAt(item)) / (config.freshness_hours * 3_600_000)
  const { shared = 0, liked = 0 } = feedback.get(item.source) ?? {}
  // Half the weight if the source gives no time.
  const freshness = Math.max(0, 1 - age) * (item.publishedAt === null ? 0.5 : 1)
  const topic = topicMatch(topics, `${item.title} ${item.summary}`)
  // Unknown sources start in the middle, and few responses change little.
  const wellTaken = (Math.min(liked, shared) + 1) / (shared + 2)
  const chance = random.next() * (config.randomness / 100) * mostChance
  const sum =
    weights.freshness * freshness +
    weights.popularity * popularity +
    weights.topic * topic +
    weights.liked * wellTaken
  return { ...item, score: sum + chance }
}

/** Chooses one by one: entries of a chosen source lose score, and the same news is dropped. */
function diverse(candidates: readonly Candidate[], most: number): Candidate[] {
  const left = new Set(candidates)
  const chosen: Candidate[] = []
  const titles: Set<Term>[] = []
  const ofSource = new Map<string, number>()
  while (left.size > 0 && chosen.length < most) {
    const value = (one: Candidate) => one.score - sameSource * (ofSource.get(one.source) ?? 0)
    const best = [...left].reduce((a, b) =>
      value(b) > value(a) || (value(b) === value(a) && b.url < a.url) ? b : a,
    )
    left.delete(best)
    const title = new Set(termsOf(best.title))
    if (titles.some((other) => overlap(other, title) >= sameNews)) continue
    titles.push(title)
    chosen.push(best)
    ofSource.set(best.source, (ofSource.get(best.source) ?? 0) + 1)
  }
  return chosen
}

function overlap(a: ReadonlySet<Term>, b: ReadonlySet<Term>): number {
  const shared = [...a].filter((term) => b.has(term)).length
  const all = a.size + b.size - shared
  return all === 0 ? 0 : shared / all
}
