import { z } from "zod"
import type { RetrieveNeeds } from "../../memory/find/retrieve.ts"
import { lastEntry } from "../../storage/journal.ts"
import { withoutWords } from "../session/session-state.ts"
import { keep, readKept } from "../session/session-store.ts"
import { type Brief, type BriefScope, gatherBrief, isStale } from "./brief.ts"

/** The briefs of the projects that are worked in, each prepared before it is wanted. */
export interface Briefs {
  /** What is prepared for a project now, however old; undefined if nothing ever was. Reads one row at most. */
  prepared(scope: BriefScope): Promise<Brief | undefined>
  /** Brings a project's brief up to date if anything changed. */
  refresh(scope: BriefScope): Promise<Brief>
  /** What this process already knows, without reading anything. */
  known(scope: BriefScope): Brief | undefined
  /** Brings all that this process knows up to date. */
  refreshAll(): Promise<void>
}

const mostKnown = 50

/** Only the frame is checked: what is in it was written by this program. */
const kept = z.object({
  entry: z.number(),
  memories: z.array(z.unknown()),
  watched: z.array(z.unknown()),
  recent: z.array(z.string()),
})

/** Makes a store of briefs that outlive the process. */
export function createBriefs(needs: RetrieveNeeds & { install: string }): Briefs {
  const briefs = new Map<string, { scope: BriefScope; brief: Brief }>()

  function remember(scope: BriefScope, brief: Brief): Brief {
    const name = nameOf(scope)
    briefs.delete(name)
    briefs.set(name, { scope, brief })
    for (const oldest of briefs.keys()) {
      if (briefs.size <= mostKnown) break
      briefs.delete(oldest)
    }
    return brief
  }

  async function preparedFor(scope: BriefScope): Promise<Brief | undefined> {
    const known = briefs.get(nameOf(scope))
    if (known) return known.brief
    const row = await readKept(needs.db, nameOf(scope))
    const brief = row && readBrief(row.text)
    return brief ? remember(scope, brief) : undefined
  }

  async function refresh(scope: BriefScope): Promise<Brief> {
    const old = await preparedFor(scope)
    if (old && !(await isStale(needs, old))) return old
    // What is saved meanwhile makes it stale again rather than being missed.
    const entry = await lastEntry(needs.db)
    const brief = await gatherBrief(needs, scope, entry)
    remember(scope, brief)
    if (old === undefined || !isSame(old, brief)) await keepBrief(scope, brief)
    return brief
  }

  async function keepBrief(scope: BriefScope, brief: Brief): Promise<void> {
    const name = nameOf(scope)
    const version = (await readKept(needs.db, name))?.version ?? 0
    const at = needs.clock.now()
    await keep(needs, name, { text: writeBrief(brief), version }, { at, join: (ours) => ours })
  }

  return {
    prepared: preparedFor,
    refresh,
    known: (scope) => briefs.get(nameOf(scope))?.brief,
    async refreshAll() {
      for (const { scope } of [...briefs.values()]) await refresh(scope)
    },
  }
}

function writeBrief({ memories, watched, ...rest }: Brief): string {
  const words = watched.map(({ triggers, ...memory }) => ({ ...withoutWords(memory), triggers }))
  return JSON.stringify({ ...rest, memories: memories.map(withoutWords), watched: words })
}

function readBrief(text: string): Brief | undefined {
  try {
    return kept.parse(JSON.parse(text)) as Brief
  } catch {
    return undefined
  }
}

function isSame(a: Brief, b: Brief): boolean {
  return JSON.stringify({ ...a, entry: 0 }) === JSON.stringify({ ...b, entry: 0 })
}

function nameOf({ projects }: BriefScope): string {
  return projects.length === 0 ? "brief:global" : `brief:${projects.join("+")}`
}
