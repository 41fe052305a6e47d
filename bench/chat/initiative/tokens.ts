import type { Gathered } from "../../../src/activities/initiate/gather.ts"
import { considerPrompt } from "../../../src/activities/initiate/prompts.ts"
import { emptyPerformance } from "../../../src/chat/feedback/performance.ts"
import type { Config } from "../../../src/config/schema.ts"

/** Characters of a token, of a message in a channel, of an entry of the feed, and of what a tool gives: estimates. */
const perToken = 4
const perMessage = 80
const perEntry = 250
const perResult = 6000
/** A decision in JSON with a text of two sentences. */
const outputTokens = 150

/**
 * What one call takes, estimated from the length of the real prompt: one channel with as many messages as are looked back
 * at, a full feed, ten interests and eight memories. A call after tools were used has a result of a tool with it.
 */
export async function estimateTokens({ initiative }: Config["chat"]): Promise<{
  firstInput: number
  laterInput: number
  output: number
}> {
  const room = { platform: "bench", community: "c1", channel: "hall", thread: null }
  const author = { id: "ann", name: "ann", isBot: false }
  const lines = Array.from({ length: initiative.text.lookback_messages }, (_, index) => ({
    ...{ id: `m${index}`, author, text: "x".repeat(perMessage), at: 0, replyTo: null, isOurs: false },
    ...{ isVoice: false, reactions: [] },
  }))
  const gathered: Gathered = {
    ...{ community: "bench/c1", thought: null, hasChanged: false, feed: [], behaviour: [], mark: null },
    channels: [
      {
        ...{ label: "c1", room, lines, peopleLastHour: 5, lastPersonAt: 0, lastOwnAt: null, isBusy: false },
      },
    ],
    performance: emptyPerformance(),
    interests: Array.from({ length: 10 }, (_, index) => `interest${index}`),
    memory: Array.from({ length: 8 }, () => "m".repeat(120)),
    mediaLeft: null,
  }
  const { system, prompt } = considerPrompt(gathered, {
    ...{ now: 0, names: ["Reverie"], instructions: null },
    abilities: { tools: ["memory_search", "web_search", "web_scrape"], missing: [], maxLinks: 2 },
  })
  const feed = initiative.discovery.max_candidates_for_prompt * perEntry
  const firstInput = (system.length + prompt.length + feed) / perToken
  return { firstInput, laterInput: firstInput + perResult / perToken, output: outputTokens }
}
