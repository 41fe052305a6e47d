import { newId, type Random } from "../../base/random.ts"
import type { Embedder } from "../../embedding/embedder.ts"
import { changesSinceRuns, isEmbedded, isWorthwhile } from "../topics/clusters/due.ts"
import { organisePlace } from "../topics/clusters/organise.ts"
import { spansSinceRuns, spansUntilRefined } from "../topics/clusters/spans.ts"
import type { OperationNeeds } from "../write/change/operation.ts"
import type { GardenWork } from "./garden.ts"

interface ClusterWorkNeeds extends OperationNeeds {
  random: Random
  embedder: Pick<Embedder, "model"> | undefined
}

/**
 * Finds the clusters of places anew of which enough changed; for whoever has no daemon that does it by itself. They are
 * derived, so no deed tells of them and undo of a pass leaves them; inferred tags are an operation of their own.
 */
export function findDueClusters(needs: ClusterWorkNeeds): GardenWork {
  const { db, random, embedder } = needs
  return {
    name: "clusters",
    async run({ signal }) {
      if (embedder === undefined) return
      const { model } = embedder
      const changes = await changesSinceRuns(db, model)
      const spans = await spansSinceRuns(db)
      for (const place of new Set([...changes.keys(), ...spans.keys()])) {
        if (signal.aborted) return
        const isSpanned = (spans.get(place) ?? 0) >= spansUntilRefined
        const isDue = isSpanned || (await isWorthwhile(db, place, changes.get(place) ?? 0))
        if (!isDue || !(await isEmbedded(db, place, model))) continue
        const by = { operation: newId(random, "op"), actor: "daemon" }
        await organisePlace({ ...needs, model, signal }, place, by)
      }
    },
  }
}
