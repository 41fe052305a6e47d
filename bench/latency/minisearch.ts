import { loadPeer } from "../peers/load.ts"
import { choosePeers } from "../quality/peers/choose.ts"
import type { Figure } from "../shared/figures.ts"
import { createTalk } from "../shared/made-up-talk.ts"
import { hold, spreadFigures } from "./contest.ts"
import { type MeasuredStore, resultLimit } from "./measured-store.ts"

/** The same questions asked of MiniSearch, which holds the same texts in memory; nothing where it is not installed. */
export async function measureMiniSearch(
  { rows, plan, embedders }: MeasuredStore,
  say: (text: string) => void,
): Promise<Figure[]> {
  const { dimensions } = embedders.madeUp
  const embed = async (texts: readonly string[]) =>
    (await embedders.madeUp.embed(texts)).map(({ vector }) => vector)
  const folder = () => {
    throw new Error("MiniSearch needs no folder")
  }
  const needs = { embed: { dimensions, embed }, load: loadPeer, folder, say }
  const [system] = await choosePeers(needs, "minisearch")
  if (system === undefined) return []
  const talk = createTalk(rows)
  const items = Array.from({ length: rows }, (_, messageIndex) => {
    const { content } = talk.memory()
    return { sourceId: String(messageIndex), content, sessionId: "", messageIndex, createdAt: 0 }
  })
  const index = await system.open(items)
  const outcome = await hold({
    rounds: plan.rounds,
    times: plan.questionsInRound,
    input: () => talk.question().text,
    ours: (query) => index.search(query, resultLimit),
  })
  await index.close()
  return spreadFigures("minisearch", rows, outcome)
}
