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
import { isoTimes } from "../../contract/iso-times.ts"
import type { AppNeeds } from "../../needs.ts"
import type { AddRoute, CheckedRequest } from "../../routing.ts"

/** Clusters. */
export function clusterRoutes(on: AddRoute, needs: AppNeeds): void {
  on("clusters", async (asked) => {
    const found = await listClusters(needs, asked)
    return { clusters: found.map(isoTimes) }
  })
  on("refreshClusters", async (asked, call) => {
    const by = call.by()
    const { embedder } = needs
    if (embedder === undefined) throw withoutEmbedder()
    await embedAll({ ...needs, embedder })
    const scopes: OrganisedScope[] = []
    const organiser = { ...needs, model: embedder.model, signal: needs.daemon?.stopping }
    for (const scope of await scopesAsked(needs, asked)) {
      scopes.push(await organiseScope(organiser, scope, by))
    }
    return { places: scopes }
  })
}

/** Tags, given and inferred. */
export function tagRoutes(on: AddRoute, needs: AppNeeds): void {
  on("tags", async (asked) => ({ tags: await listTags(needs, asked) }))
  on("describeTag", async (asked, call) => {
    const by = call.by()
    const described = await describeTag(needs, asked, by)
    return { operation: by.operation, ...described }
  })
  on("cleanUpTags", async ({ dryRun }, { by }) => {
    const cleaned = await cleanUpTags(needs, { dryRun }, by())
    return { dryRun, ...cleaned }
  })
}

/** The scopes to organise: global and one project, or all. */
async function scopesAsked(
  { db, projects }: AppNeeds,
  { project, allProjects }: CheckedRequest<"refreshClusters">,
): Promise<ClusterScope[]> {
  if (allProjects) return [...(await countByScope(db)).keys()]
  return [null, ...(project ? await findProjects(db, await projects.find(project)) : [])]
}

function withoutEmbedder(): UserError {
  const advice = "set embedding.model to a model first."
  return new UserError("refused", `Clusters need vectors, and embedding.model is none; ${advice}`)
}

const embeddedAtOnce = 64

/** Computes missing vectors first. If that fails, only memories with a vector are organised. */
async function embedAll(needs: AppNeeds & { embedder: Embedder }): Promise<void> {
  const { db, embedder, clusters, config, log } = needs
  const tokens = config.embedding.word_vectors
  try {
    while ((await embedMissing({ db, embedder, clusters, tokens }, embeddedAtOnce)) > 0);
  } catch (error) {
    log.warn("Memories are organised without some vectors", { reason: messageOf(error) })
  }
}
