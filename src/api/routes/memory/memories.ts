import { Hono } from "hono"
import { isoTime } from "../../../base/clock.ts"
import { streamed } from "../../../base/net/streamed.ts"
import { embeddingNotice } from "../../../embedding/notice.ts"
import { withKind } from "../../../memory/extract/infer-kind.ts"
import { presentHit } from "../../../memory/find/present-hit.ts"
import { retrieve } from "../../../memory/find/retrieve.ts"
import { similarMemories } from "../../../memory/find/similar.ts"
import { confidenceAt } from "../../../memory/model/decay.ts"
import { requireProject } from "../../../memory/model/project.ts"
import { listMemories, projectName, requireMemory } from "../../../memory/model/store/browse.ts"
import { edgesAt } from "../../../memory/model/store/graph.ts"
import { completeLastWord } from "../../../memory/model/words/complete.ts"
import { clustersWith } from "../../../memory/topics/clusters/list.ts"
import { exportJson, exportMarkdown } from "../../../memory/transfer/export.ts"
import { importText } from "../../../memory/transfer/import.ts"
import { type Remembered, remember } from "../../../memory/write/remember.ts"
import { readJournal } from "../../../storage/journal.ts"
import { failureOf, giveNotice, schemaVersion } from "../../answers/answer.ts"
import { chunksOf, linesOf, longestLine } from "../../answers/lines.ts"
import { presentMayReplace } from "../../answers/may-replace.ts"
import { presentShown } from "../../answers/shown.ts"
import { dropRest } from "../../body-limit.ts"
import {
  type AddAnswer,
  type KeptAs,
  type ListAnswer,
  requests,
  type SearchAnswer,
  type ShowAnswer,
  type SimilarAnswer,
} from "../../contract.ts"
import { bodyOf, byOf, queryOf } from "../../input.ts"
import type { AppNeeds } from "../../needs.ts"

/** Everything that is done with memories. */
export function memoryRoutes(needs: AppNeeds): Hono {
  const routes = new Hono()
  routes.post("/", async (context) => {
    const given = withKind(await bodyOf(context, requests.add))
    const remembered = await remember(needs, given, byOf(context, needs))
    giveNotice(context, embeddingNotice(needs.embedder))
    const told = await withTexts(needs, remembered)
    return context.json<AddAnswer>({ schemaVersion, ...told, ...(await keptAs(needs, remembered)) })
  })
  routes.get("/", async (context) => {
    const page = await listMemories(needs, queryOf(context, requests.list))
    return context.json<ListAnswer>({
      schemaVersion,
      memories: page.memories.map(presentShown),
      next: page.next,
    })
  })
  routes.get("/search", async (context) => {
    await needs.beforeSearch?.()
    const started = performance.now()
    const { audience: audiences, typing, ...query } = queryOf(context, requests.search)
    const meant = typing ? await completeLastWord(needs.db, query.query) : query.query
    const { hits, confidence, ...rest } = await retrieve(needs, { ...query, query: meant, audiences })
    needs.retrievals?.note(hits.map(({ memory }) => memory.id))
    giveNotice(context, embeddingNotice(needs.embedder))
    const tookMs = Math.round((performance.now() - started) * 100) / 100
    return context.json<SearchAnswer>({
      schemaVersion,
      results: hits.map(presentHit),
      ...rest,
      confidence: Math.round(confidence * 1e4) / 1e4,
      tookMs,
    })
  })
  routes.get("/export", async (context) => {
    const { format, project } = queryOf(context, requests.export)
    const json = format === "json"
    const only = project === undefined ? undefined : await requireProject(needs, project)
    const body = streamed((write) =>
      json ? exportJson(needs, write, only) : exportMarkdown(needs, write, only),
    )
    return context.body(body, 200, {
      "content-type": json ? "application/json" : "text/markdown; charset=utf-8",
    })
  })
  routes.post("/import", (context) => {
    const options = queryOf(context, requests.import)
    const by = byOf(context, needs)
    const reader = context.req.raw.body?.getReader()
    const lines = linesOf(reader ? chunksOf(reader) : null, longestLine)
    const body = streamed(async (write) => {
      const say = (line: object) => write(`${JSON.stringify(line)}\n`)
      // A client that went away no longer cares how far it is.
      const onProgress = (done: number) => void say({ done }).catch(() => undefined)
      try {
        const imported = await importText(needs, lines, by, { ...options, onProgress })
        await say({ result: { schemaVersion, ...imported } })
      } catch (error) {
        await say(failureOf(error, needs.log))
        if (reader) await dropRest(reader, needs.clock)
      }
    })
    return context.body(body, 200, { "content-type": "application/x-ndjson" })
  })
  routes.get("/:id/similar", async (context) => {
    await needs.beforeSearch?.()
    const query = queryOf(context, requests.similar)
    const { similar } = await similarMemories(needs, { ...query, id: context.req.param("id") })
    return context.json<SimilarAnswer>({
      schemaVersion,
      results: similar.map((one) => presentHit({ ...one, sure: true })),
    })
  })
  routes.get("/:id", async (context) => {
    return context.json<ShowAnswer>(await showMemory(needs, context.req.param("id")))
  })
  return routes
}

async function showMemory(needs: AppNeeds, id: string): Promise<ShowAnswer> {
  const memory = await requireMemory(needs.db, id)
  const entries = await readJournal(needs.db, { subject: memory.id, kind: "memory.", limit: 100 })
  const edges = await edgesAt(needs.db, [memory.id])
  return {
    schemaVersion,
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

/** What became of a text, with the texts of what it may replace. */
async function withTexts({ db }: AppNeeds, remembered: Remembered) {
  if (remembered.outcome === "refused") return remembered
  const { mayReplace = [], ...rest } = remembered
  return { ...rest, ...(await presentMayReplace(db, mayReplace)) }
}

/** Of what kind and for which project a memory is kept. */
async function keptAs({ db }: AppNeeds, remembered: Remembered): Promise<KeptAs> {
  if (remembered.outcome === "refused") return {}
  const { type, scope, status, project } = await requireMemory(db, remembered.id)
  return { type, scope, status, projectName: project === null ? null : await projectName(db, project) }
}
