import { fence } from "../../llm/fence.ts"
import type { Core } from "../../storage/core.ts"
import { type Candidate, rank, type SourceFeedback } from "./choose/rank.ts"
import { type AuthoredText, topicsOf } from "./choose/topics.ts"
import { canonicalUrl, linksIn } from "./items/canonical-url.ts"
import { configuredSources, type DiscoveryConfig, isEnabled, sourceKey } from "./sources/source.ts"
import { addedSources, postedSince, storedItems } from "./store.ts"

interface CandidateRequest {
  community: string
  /** Recent messages: they give the topics and the links that people posted. */
  messages: readonly AuthoredText[]
  /** How the community responded to each source, by its key. */
  feedback?: ReadonlyMap<string, SourceFeedback>
}

const hourMs = 3_600_000

/** The stored entries that could be posted in a community now, the best first. Fetches nothing. */
export async function findCandidates(
  { db, clock, random }: Pick<Core, "db" | "clock" | "random">,
  config: DiscoveryConfig,
  { community, messages, feedback = new Map() }: CandidateRequest,
): Promise<Candidate[]> {
  const now = clock.now()
  const added = (await addedSources(db, community)).filter(({ family }) => isEnabled(config, family))
  const keys = [...new Set([...configuredSources(config), ...added].map(sourceKey))]
  const items = await storedItems(db, keys, now - config.freshness_hours * hourMs)
  const posted = await postedSince(db, community, now - config.dedupe_hours * hourMs)
  for (const link of messages.flatMap(({ text }) => linksIn(text))) posted.add(canonicalUrl(link) ?? link)
  return rank(config, { items, topics: topicsOf(messages), feedback, posted, now, random })
}

/** Candidates for a prompt: numbered, with their text fenced. */
export function describeCandidates(candidates: readonly Candidate[]): string {
  return candidates
    .map(({ title, summary, link, source }, index) => {
      const text = [title, summary, link, `from ${source}`].filter((line) => line !== "").join("\n")
      return `${index + 1}. ${fence("data", text)}`
    })
    .join("\n")
}
