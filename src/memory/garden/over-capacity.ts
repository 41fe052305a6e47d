import type { Core } from "../../storage/core.ts"
import { sql } from "../../storage/sql.ts"
import type { Reader } from "../../storage/transaction.ts"
import { isFaint } from "../model/decay.ts"
import { archiveFaded, findFaded } from "../write/change/fading.ts"
import { broughtBack } from "./brought-back.ts"
import type { GardenWork, Tending } from "./garden.ts"
import { inProjects } from "./in-projects.ts"

/** How many memories are active. */
export async function countActive(on: Reader): Promise<number> {
  const [row] = await on.read<{ active: number }>(
    sql`select count(*) as active from memories where status = 'active'`,
  )
  return row?.active ?? 0
}

const mostAtOnce = 200

/** Beyond the capacity, archives what has become faint, the faintest first; what is still sure stays, however much. */
export function archiveBeyond(needs: Core, capacity: number): GardenWork {
  return {
    name: "capacity",
    async run(tending) {
      const excess = capacity === 0 ? 0 : (await countActive(needs.db)) - capacity
      if (excess > 0) await archiveFaintest(needs, excess, tending)
    },
  }
}

async function archiveFaintest(needs: Core, excess: number, tending: Tending): Promise<void> {
  const faint = (await notExcluded(needs, await findFaded(needs.db, needs.clock.now()), tending)).slice(
    0,
    excess,
  )
  if (faint.length < excess)
    tending.warn(`${excess - faint.length} memories beyond memory.capacity are not faint, and stay.`)
  for (let from = 0; from < faint.length; from += mostAtOnce) {
    const { changes, losses } = tending.room()
    const ids = faint.slice(from, from + Math.min(changes, losses, mostAtOnce)).map(({ id }) => id)
    if (ids.length === 0 || !tending.mayGoOn()) return tending.leaveRest()
    await tending.done(
      "archived beyond the capacity",
      await archiveFaded(needs, ids, isFaint, tending.by()),
      ids.length,
    )
  }
}

/** Without what somebody brought back, and what belongs to a project that keeps the garden out. */
async function notExcluded({ db }: Core, faded: readonly { id: string }[], { excluded }: Tending) {
  const ids = faded.map(({ id }) => id)
  const staying = new Set([...(await broughtBack(db, ids)), ...(await inProjects(db, ids, excluded))])
  return faded.filter(({ id }) => !staying.has(id))
}
