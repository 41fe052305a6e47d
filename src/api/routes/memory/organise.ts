import { Hono } from "hono"
import { isoTime } from "../../../base/clock.ts"
import { messageOf, UserError } from "../../../base/errors.ts"
import type { Embedder } from "../../../embedding/embedder.ts"
import { findProjects } from "../../../memory/model/project.ts"
import { listClusters } from "../../../memory/topics/clusters/list.ts"
import { type OrganisedScope, organiseScope } from "../../../memory/topics/clusters/organise.ts"
import { type ClusterScope, countByScope } from "../../../memory/topics/clusters/scope.ts"
import { cleanUpTags } from "../../../memory/topics/tags/clean-up.ts"
import { describeTag } from "../../../memory/topics/tags/describe.ts"
import { listTags } from "../../../memory/topics/tags/list.ts"
import { embedMissing } from "../../../memory/write/vectors.ts"
import { schemaVersion } from "../../answers/answer.ts"
import {
  type CleanedTagsAnswer,
  type ClustersAnswer,
  type DescribedTagAnswer,
  type RefreshedAnswer,
  requests,
  type TagsAnswer,
} from "../../contract.ts"
import { bodyOf, byOf, queryOf } from "../../input.ts"
import type { AppNeeds } from "../../needs.ts"

/** What belongs together, as it was found. */
export function clusterRoutes(needs: AppNeeds): Hono {
  const routes = new Hono()
  routes.get("/", async (context) => {
    const found = await listClusters(needs, queryOf(context, requests.clusters))
    const clusters = found.map((one) => ({ ...one, updatedAt: isoTime(one.updatedAt) }))
    return context.json<ClustersAnswer>({ schemaVersion, clusters })
  })
  routes.post("/refresh", async (context) => {
    const asked = await bodyOf(context, requests.refreshClusters)
    const by = byOf(context, needs)
    const { embedder } = needs
    if (embedder === undefined) throw withoutEmbedder()
    await embedAll({ ...needs, embedder })
    const scopes: OrganisedScope[] = []
    const organiser = { ...needs, model: embedder.model, signal: needs.daemon?.stopping }
    for (const scope of await scopesAsked(needs, asked)) {
      scopes.push(await organiseScope(organiser, scope, by))
    }
    return context.json<RefreshedAnswer>({ schemaVersion, places: scopes })
  })
  return routes
}

/** Tags, told and inferred. */
export function tagRoutes(needs: AppNeeds): Hono {
  const routes = new Hono()
  routes.get("/", async (context) => {
    const tags = await listTags(needs, queryOf(context, requests.tags))
    return context.json<TagsAnswer>({ schemaVersion, tags })
  })
  routes.post("/describe", async (context) => {
    const asked = await bodyOf(context, requests.describeTag)
    const by = byOf(context, needs)
    const described = await describeTag(needs, asked, by)
    return context.json<DescribedTagAnswer>({ schemaVersion, operation: by.operation, ...described })
  })
  routes.post("/clean-up", async (context) => {
    const { dryRun } = await bodyOf(context, requests.cleanUpTags)
    const cleaned = await cleanUpTags(needs, { dryRun }, byOf(context, needs))
    return context.json<CleanedTagsAnswer>({ schemaVersion, dryRun, ...cleaned })
  })
  return routes
}

/** The scopes to organise: everywhere and the project asked for, or all there are. */
async function scopesAsked(
  { db, projects }: AppNeeds,
  { project, allProjects }: { project?: string | undefined; allProjects?: boolean | undefined },
): Promise<ClusterScope[]> {
  if (allProjects) return [...(await countByScope(db)).keys()]
  return [null, ...(project ? await findProjects(db, await projects.find(project)) : [])]
}

function withoutEmbedder(): UserError {
  const advice = "set embedding.model to a model first."
  return new UserError("refused", `Clusters are made from vectors, and embedding.model is none; ${advice}`)
}

const embeddedAtOnce = 64

/** Gives every memory its vector first. Without a model those that have one are organised. */
async function embedAll(needs: AppNeeds & { embedder: Embedder }): Promise<void> {
  const { db, embedder, clusters, config, log } = needs
  const tokens = config.embedding.word_vectors
  try {
    while ((await embedMissing({ db, embedder, clusters, tokens }, embeddedAtOnce)) > 0);
  } catch (error) {
    log.warn("Memories are organised without some vectors", { reason: messageOf(error) })
  }
}
