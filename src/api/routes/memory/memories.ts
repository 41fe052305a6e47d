import { isoTime } from "../../../base/clock.ts"
import { embeddingNotice } from "../../../embedding/embedder.ts"
import { withInferredType } from "../../../memory/extract/infer-type.ts"
import { presentHit } from "../../../memory/find/present-hit.ts"
import { retrieve } from "../../../memory/find/retrieve.ts"
import { similarMemories } from "../../../memory/find/similar.ts"
import { confidenceAt } from "../../../memory/model/decay.ts"
import { projectName } from "../../../memory/model/known-projects.ts"
import { listMemories, requireMemory } from "../../../memory/model/store/browse.ts"
import { edgesAt } from "../../../memory/model/store/graph.ts"
import { completeLastWord } from "../../../memory/model/words/complete.ts"
import { clustersWith } from "../../../memory/topics/clusters/list.ts"
import { type Remembered, remember } from "../../../memory/write/remember.ts"
import { readJournal } from "../../../storage/journal.ts"
import { setNotice } from "../../answers/answer.ts"
import { presentMayReplace, presentShown } from "../../answers/memories.ts"
import type { Answers } from "../../contract/answers.ts"
import type { SavedAs } from "../../contract/memory-answers.ts"
import type { AppNeeds } from "../../needs.ts"
import type { AddRoute } from "../../routing.ts"

/** Adding, listing, searching and showing memories. */
export function memoryRoutes(on: AddRoute, needs: AppNeeds): void {
  on("add", async (asked, { by, context }) => {
    const remembered = await remember(needs, withInferredType(asked), by())
    setNotice(context, embeddingNotice(needs.embedder))
    const result = await withTexts(needs, remembered)
    return { ...result, ...(await savedAs(needs, remembered)) }
  })
  on("list", async (asked) => {
    const page = await listMemories(needs, asked)
    return { memories: page.memories.map(presentShown), next: page.next }
  })
  on("search", async ({ audience: audiences, typing, ...query }, { context }) => {
    await needs.beforeSearch?.()
    const started = performance.now()
    const text = typing ? await completeLastWord(needs.db, query.query) : query.query
    const { hits, confidence, ...rest } = await retrieve(needs, { ...query, query: text, audiences })
    needs.retrievals?.note(hits.map(({ memory }) => memory.id))
    setNotice(context, embeddingNotice(needs.embedder))
    const tookMs = Math.round((performance.now() - started) * 100) / 100
    return {
      results: hits.map(presentHit),
      ...rest,
      confidence: Math.round(confidence * 1e4) / 1e4,
      tookMs,
    }
  })
  on("similar", async (query, { id }) => {
    await needs.beforeSearch?.()
    const { similar } = await similarMemories(needs, { ...query, id })
    return { results: similar.map((one) => presentHit({ ...one, sure: true })) }
  })
  on("show", (_asked, { id }) => showMemory(needs, id))
}

async function showMemory(needs: AppNeeds, id: string): Promise<Answers["show"]> {
  const memory = await requireMemory(needs.db, id)
  const entries = await readJournal(needs.db, { subject: memory.id, kind: "memory.", limit: 100 })
  const edges = await edgesAt(needs.db, [memory.id])
  return {
    ...presentShown(memory),
    projectName: memory.project === null ? null : await projectName(needs.db, memory.project),
    confidenceNow: confidenceAt(memory, needs.clock.now()),
    inferredTags: edges.flatMap(({ kind, target }) =>
      kind === "inferred-tag" ? [target.replace(/^tag:/, "")] : [],
    ),
    clusters: await clustersWith(needs.db, memory.id),
    edges: edges.map(({ createdAt, ...edge }) => edge),
    history: entries.map(({ at, kind, operation, actor }) => ({ at: isoTime(at), kind, operation, actor })),
  }
}

/** The outcome, with the texts of the memories it may replace. */
async function withTexts({ db }: AppNeeds, remembered: Remembered) {
  if (remembered.outcome === "refused") return remembered
  const { mayReplace = [], ...rest } = remembered
  return { ...rest, ...(await presentMayReplace(db, mayReplace)) }
}

async function savedAs({ db }: AppNeeds, remembered: Remembered): Promise<SavedAs> {
  if (remembered.outcome === "refused") return {}
  const { type, scope, status, project } = await requireMemory(db, remembered.id)
  return { type, scope, status, projectName: project === null ? null : await projectName(db, project) }
}
