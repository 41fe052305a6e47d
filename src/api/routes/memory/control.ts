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
import type { ChangeResult } from "../../../memory/write/change/operation.ts"
import { rateMemory } from "../../../memory/write/change/rate.ts"
import { tagMemories } from "../../../memory/write/change/tag.ts"
import { needsUserConfirmation } from "../../../memory/write/compare/quarantine.ts"
import { fetchAndRunNotice } from "../../../memory/write/prepare.ts"
import type { By } from "../../../storage/journal.ts"
import { setNotice } from "../../answers/answer.ts"
import { presentFading, presentMayReplace, presentShown } from "../../answers/memories.ts"
import type { Answers } from "../../contract/answers.ts"
import type { Changes, EdgeJson } from "../../contract/memory-answers.ts"
import type { AppNeeds } from "../../needs.ts"
import type { AddRoute, CheckedRequest } from "../../routing.ts"

/** Changes of memories. All but purge can be undone. */
export function controlRoutes(on: AddRoute, needs: AppNeeds): void {
  on("forget", async ({ ids }, { by }) => {
    const changed = await forget(needs, ids, by())
    return presentChanged("forgotten", changed)
  })
  on("restore", async ({ ids }, { by }) => {
    const changed = await restore(needs, ids, by())
    return presentChanged("restored", changed)
  })
  on("tag", async (asked, { by }) => {
    const changed = await tagMemories(needs, asked, by())
    return presentChanged("tagged", changed)
  })
  on("link", async ({ remove, ...link }, call) => {
    const by = call.by()
    const changed = await (remove ? unlinkMemories(needs, link, by) : linkMemories(needs, link, by))
    return presentChanged(remove ? "unlinked" : "linked", changed)
  })
  on("rate", async ({ id, rating }, { by }) => {
    const changed = await rateMemory(needs, id, rating, by())
    return presentChanged("rated", changed)
  })
  on("resolve", async (decision, { by }) => {
    const changed = await resolveConflict(needs, decision, by())
    return presentChanged("resolved", changed)
  })
  on("prune", async (asked, { by }) => {
    const changed = await pruneExpired(needs, asked, by())
    const { faint, counts } = presentFading(await listFading(needs, asked), needs.clock.now())
    return { ...presentChanged("pruned", changed), faint, counts }
  })
  on("purge", (asked, { by }) => purge(needs, asked, by()))
  on("edit", async (edit, { id, by, context }) => {
    const edited = await editMemory(needs, id, edit, by())
    if ("outcome" in edited) return edited
    if (edited.memories.some((memory) => memory.status === "quarantined" && needsUserConfirmation(memory)))
      setNotice(context, fetchAndRunNotice)
    const mayReplace = await presentMayReplace(needs.db, mayReplaceIn(edited.edges))
    return { ...presentChanged("edited", edited), ...mayReplace }
  })
}

function presentChanged(outcome: string, { operation, memories, edges }: ChangeResult): Changes {
  const isNothing = memories.length === 0 && edges.length === 0
  return {
    outcome: isNothing ? "unchanged" : outcome,
    operation,
    memories: memories.map(presentShown),
    edges: edges.map(({ before, after }) => ({ before: presentEdge(before), after: presentEdge(after) })),
  }
}

function presentEdge(edge: Edge | null): EdgeJson | null {
  if (edge === null) return null
  const { createdAt, ...rest } = edge
  return rest
}

async function purge(needs: AppNeeds, asked: CheckedRequest<"purge">, by: By): Promise<Answers["purge"]> {
  const { choice, confirmed, snapshots } = asked
  const { db, paths } = needs
  const databaseFile = db.kind === "sqlite" ? db.location : paths.databaseFile
  const listed = () => listCopies({ snapshotDir: paths.snapshotDir, databaseFile })
  if (!confirmed) {
    const memories = await countPurge(needs, choice)
    return { outcome: "asked", memories, snapshots: await listed() }
  }
  const purged = await purgeMemories(needs, choice, by)
  const copies = await listed()
  if (!snapshots) {
    return { outcome: "purged", ...purged, snapshots: copies, snapshotsRemoved: [] }
  }
  await removeCopies(needs, copies, by)
  return { outcome: "purged", ...purged, snapshots: [], snapshotsRemoved: copies }
}
