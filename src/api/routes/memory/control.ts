import { Hono } from "hono"
import { purgeMemories } from "../../../activities/purge.ts"
import { listCopies, removeCopies } from "../../../activities/snapshots.ts"
import { countPurge } from "../../../memory/history/erase.ts"
import type { Edge } from "../../../memory/model/store/graph.ts"
import { mayReplaceIn } from "../../../memory/write/change/compare-edited.ts"
import { resolveConflict } from "../../../memory/write/change/conflicts.ts"
import { editMemory } from "../../../memory/write/change/edit.ts"
import { listFading, pruneExpired } from "../../../memory/write/change/fading.ts"
import { forget, restore } from "../../../memory/write/change/forget-restore.ts"
import { linkMemories, unlinkMemories } from "../../../memory/write/change/link.ts"
import type { Changed } from "../../../memory/write/change/operation.ts"
import { rateMemory } from "../../../memory/write/change/rate.ts"
import { tagMemories } from "../../../memory/write/change/tag.ts"
import { waitsForPerson } from "../../../memory/write/compare/quarantine.ts"
import { whyItWaits } from "../../../memory/write/prepare.ts"
import type { By } from "../../../storage/journal.ts"
import { giveNotice, schemaVersion } from "../../answers/answer.ts"
import { presentMayReplace } from "../../answers/may-replace.ts"
import { presentFading } from "../../answers/present.ts"
import { presentShown } from "../../answers/shown.ts"
import {
  type ChangedAnswer,
  type EditAnswer,
  type PruneAnswer,
  type PurgeAnswer,
  requests,
} from "../../contract.ts"
import { bodyOf, byOf } from "../../input.ts"
import type { AppNeeds } from "../../needs.ts"

/** What a person decides about memories. All but purging can be undone. */
export function controlRoutes(needs: AppNeeds): Hono {
  const routes = new Hono()
  routes.post("/forget", async (context) => {
    const { ids } = await bodyOf(context, requests.forget)
    const changed = await forget(needs, ids, byOf(context, needs))
    return context.json<ChangedAnswer>(presentChanged("forgotten", changed))
  })
  routes.post("/restore", async (context) => {
    const { ids } = await bodyOf(context, requests.restore)
    const changed = await restore(needs, ids, byOf(context, needs))
    return context.json<ChangedAnswer>(presentChanged("restored", changed))
  })
  routes.post("/tag", async (context) => {
    const asked = await bodyOf(context, requests.tag)
    const changed = await tagMemories(needs, asked, byOf(context, needs))
    return context.json<ChangedAnswer>(presentChanged("tagged", changed))
  })
  routes.post("/link", async (context) => {
    const { remove, ...link } = await bodyOf(context, requests.link)
    const by = byOf(context, needs)
    const changed = await (remove ? unlinkMemories(needs, link, by) : linkMemories(needs, link, by))
    return context.json<ChangedAnswer>(presentChanged(remove ? "unlinked" : "linked", changed))
  })
  routes.post("/rate", async (context) => {
    const { id, rating } = await bodyOf(context, requests.rate)
    const changed = await rateMemory(needs, id, rating, byOf(context, needs))
    return context.json<ChangedAnswer>(presentChanged("rated", changed))
  })
  routes.post("/resolve", async (context) => {
    const decision = await bodyOf(context, requests.resolve)
    const changed = await resolveConflict(needs, decision, byOf(context, needs))
    return context.json<ChangedAnswer>(presentChanged("resolved", changed))
  })
  routes.post("/prune", async (context) => {
    const asked = await bodyOf(context, requests.prune)
    const changed = await pruneExpired(needs, asked, byOf(context, needs))
    const { faint, counts } = presentFading(await listFading(needs, asked), needs.clock.now())
    return context.json<PruneAnswer>({ ...presentChanged("pruned", changed), faint, counts })
  })
  routes.post("/purge", async (context) => {
    const asked = await bodyOf(context, requests.purge)
    return context.json<PurgeAnswer>(await purge(needs, asked, byOf(context, needs)))
  })
  routes.post("/:id/edit", async (context) => {
    const edit = await bodyOf(context, requests.edit)
    const edited = await editMemory(needs, context.req.param("id"), edit, byOf(context, needs))
    if ("outcome" in edited) return context.json<EditAnswer>({ schemaVersion, ...edited })
    if (edited.memories.some((memory) => memory.status === "quarantined" && waitsForPerson(memory)))
      giveNotice(context, whyItWaits)
    const mayReplace = await presentMayReplace(needs.db, mayReplaceIn(edited.edges))
    return context.json<EditAnswer>({ ...presentChanged("edited", edited), ...mayReplace })
  })
  return routes
}

function presentChanged(outcome: string, { operation, memories, edges }: Changed): ChangedAnswer {
  const isNothing = memories.length === 0 && edges.length === 0
  return {
    schemaVersion,
    outcome: isNothing ? "unchanged" : outcome,
    operation,
    memories: memories.map(presentShown),
    edges: edges.map(({ before, after }) => ({ before: presentEdge(before), after: presentEdge(after) })),
  }
}

function presentEdge(edge: Edge | null): Omit<Edge, "createdAt"> | null {
  if (edge === null) return null
  const { createdAt, ...rest } = edge
  return rest
}

type PurgeRequest = ReturnType<typeof requests.purge.parse>

async function purge(needs: AppNeeds, asked: PurgeRequest, by: By): Promise<PurgeAnswer> {
  const { choice, confirmed, snapshots } = asked
  const { db, paths } = needs
  const databaseFile = db.kind === "sqlite" ? db.location : paths.databaseFile
  const listed = () => listCopies({ snapshotDir: paths.snapshotDir, databaseFile })
  if (!confirmed) {
    const memories = await countPurge(needs, choice)
    return { schemaVersion, outcome: "asked", memories, snapshots: await listed() }
  }
  const purged = await purgeMemories(needs, choice, by)
  const copies = await listed()
  if (!snapshots) {
    return { schemaVersion, outcome: "purged", ...purged, snapshots: copies, snapshotsRemoved: [] }
  }
  await removeCopies(needs, copies, by)
  return { schemaVersion, outcome: "purged", ...purged, snapshots: [], snapshotsRemoved: copies }
}
