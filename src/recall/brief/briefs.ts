import { z } from "zod"
import { tryParseJson } from "../../base/text/json.ts"
import type { MemoryCore } from "../../memory/model/memory-core.ts"
import { lastEntry } from "../../storage/journal.ts"
import { withoutWords } from "../session/session-state.ts"
import { readRow, saveRow } from "../session/session-store.ts"
import { type Brief, type BriefScope, buildBrief, isStale } from "./brief.ts"

/** The briefs of the projects in use, each prepared in advance. */
export interface Briefs {
  /** A project's brief, however old; undefined if it has none. Reads at most one row. */
  prepared(scope: BriefScope): Promise<Brief | undefined>
  /** Rebuilds a project's brief if anything changed. */
  refresh(scope: BriefScope): Promise<Brief>
  /** The brief, if this process has loaded it. */
  known(scope: BriefScope): Brief | undefined
  /** Refreshes all loaded briefs. */
  refreshAll(): Promise<void>
}

const mostKnown = 50

/** Checks only the outer shape: this program wrote the rest. */
const briefSchema = z.object({
  entry: z.number(),
  memories: z.array(z.unknown()),
  watched: z.array(z.unknown()),
  recent: z.array(z.string()),
})

export function createBriefs(needs: MemoryCore & { install: string }): Briefs {
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
    const row = await readRow(needs.db, nameOf(scope))
    const brief = row && readBrief(row.text)
    return brief ? remember(scope, brief) : undefined
  }

  async function refresh(scope: BriefScope): Promise<Brief> {
    const old = await preparedFor(scope)
    if (old && !(await isStale(needs, old))) return old
    // Read first: a change during the build makes the brief stale again.
    const entry = await lastEntry(needs.db)
    const brief = await buildBrief(needs, scope, entry)
    remember(scope, brief)
    if (old === undefined || !isSame(old, brief)) await saveBrief(scope, brief)
    return brief
  }

  async function saveBrief(scope: BriefScope, brief: Brief): Promise<void> {
    const name = nameOf(scope)
    const version = (await readRow(needs.db, name))?.version ?? 0
    const at = needs.clock.now()
    await saveRow(needs, name, { text: writeBrief(brief), version }, { at, join: (ours) => ours })
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
  return briefSchema.safeParse(tryParseJson(text)).data as Brief | undefined
}

function isSame(a: Brief, b: Brief): boolean {
  return JSON.stringify({ ...a, entry: 0 }) === JSON.stringify({ ...b, entry: 0 })
}

function nameOf({ projects }: BriefScope): string {
  return projects.length === 0 ? "brief:global" : `brief:${projects.join("+")}`
}
