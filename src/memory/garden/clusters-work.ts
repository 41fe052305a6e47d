import { newId } from "../../base/random.ts"
import type { MemoryCore } from "../model/memory-core.ts"
import { changesSinceRuns, isEmbedded, isWorthwhile } from "../topics/clusters/due.ts"
import { organiseScope } from "../topics/clusters/organise.ts"
import { spansSinceRuns, spansUntilRefined } from "../topics/clusters/spans.ts"
import type { GardenWork } from "./garden.ts"

/**
 * Finds the clusters of scopes anew of which enough changed; for whoever has no daemon that does it by itself. They are
 * derived, so no deed tells of them and undo of a pass leaves them; inferred tags are an operation of their own.
 */
export function findDueClusters(needs: MemoryCore): GardenWork {
  const { db, random, embedder } = needs
  return {
    name: "clusters",
    async run({ signal }) {
      if (embedder === undefined) return
      const { model } = embedder
      const changes = await changesSinceRuns(db, model)
      const spans = await spansSinceRuns(db)
      for (const scope of new Set([...changes.keys(), ...spans.keys()])) {
        if (signal.aborted) return
        const isSpanned = (spans.get(scope) ?? 0) >= spansUntilRefined
        const isDue = isSpanned || (await isWorthwhile(db, scope, changes.get(scope) ?? 0))
        if (!isDue || !(await isEmbedded(db, scope, model))) continue
        const by = { operation: newId(random, "op"), actor: "daemon" }
        await organiseScope({ ...needs, model, signal }, scope, by)
      }
    },
  }
}
