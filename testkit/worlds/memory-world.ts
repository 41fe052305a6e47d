import type { z } from "zod"
import { silentLog } from "../../src/base/log.ts"
import { newId, systemRandom } from "../../src/base/random.ts"
import { configSchema } from "../../src/config/schema.ts"
import type { Embedder } from "../../src/embedding/embedder.ts"
import { retrieve } from "../../src/memory/find/retrieve.ts"
import { undo } from "../../src/memory/history/undo.ts"
import { newMemorySchema, type ParsedMemory } from "../../src/memory/model/memory.ts"
import type { PresentedMemory } from "../../src/memory/model/present-memory.ts"
import { createProjectFinder } from "../../src/memory/model/project.ts"
import { exportJson } from "../../src/memory/transfer/export.ts"
import { importText } from "../../src/memory/transfer/import.ts"
import { type Remembered, remember } from "../../src/memory/write/remember.ts"
import { openScreen } from "../../src/privacy/screen.ts"
import type { By } from "../../src/storage/journal.ts"
import { createManualClock, withRealTimers } from "../manual-clock.ts"
import { createSeededRandom } from "../seeded-random.ts"
import type { TestDatabase } from "../setup/databases.ts"

type ImportOptions = Omit<Parameters<typeof importText>[3], "verbatim">
type Given = Partial<z.input<typeof newMemorySchema>>

/** The memory of one database, driven as the daemon drives it. */
export type MemoryWorld = Awaited<ReturnType<typeof openMemoryWorld>>

/** Opens a memory on a test database, with a clock that goes on by a second at every act. */
export async function openMemoryWorld(
  store: TestDatabase,
  seed = 1,
  options: { embedder?: Embedder; config?: z.input<typeof configSchema> } = {},
) {
  const clock = createManualClock()
  const random = createSeededRandom(seed)
  const db = await store.open({ clock: withRealTimers(clock), random })
  const config = configSchema.parse(options.config ?? {})
  const projects = createProjectFinder({ clock })
  const screen = openScreen({ clock }, config.privacy)
  const needs = { db, clock, random, config, projects, screen, log: silentLog, embedder: options.embedder }
  const by = () => ({ operation: newId(systemRandom, "op"), actor: "test" })
  const checked = (content: string, given: Given = {}): ParsedMemory =>
    newMemorySchema.parse({ ...given, content })
  const acting = async <T>(work: () => Promise<T>) => {
    await clock.advance(1000)
    return work()
  }
  return {
    ...needs,
    by,
    remember: (content: string, given?: Given, act = by()): Promise<Remembered> =>
      acting(() => remember(needs, checked(content, given), act)),
    find: async (query: string, view: { project?: string; session?: string; allProjects?: boolean } = {}) => {
      const { hits } = await retrieve(needs, { query, limit: 20, ...view })
      return hits.map((hit) => hit.memory.content)
    },
    undo: (operation?: string, act = by()) => acting(() => undo(needs, act, operation)),
    export: async () => {
      let text = ""
      await exportJson(needs, async (part) => {
        text += part
      })
      return text
    },
    import: (text: string, verbatim = false, options: ImportOptions = {}) =>
      acting(() => importText(needs, linesIn(text), by(), { ...options, verbatim })),
    /** Does something a second later, under an operation of its own. */
    act: <T>(work: (world: typeof needs, act: By) => Promise<T>) => acting(() => work(needs, by())),
  }
}

async function* linesIn(text: string): AsyncGenerator<string> {
  yield* text.split("\n")
}

/** The part of an export that is the graph itself, without what led to it. */
export function graphOf(exported: string): Graph {
  const { memories, tags, clusters, edges } = JSON.parse(exported)
  return { memories, tags, clusters, edges }
}

interface Graph {
  memories: PresentedMemory[]
  tags: unknown
  clusters: unknown
  edges: { source: string; kind: string; target: string; weight: number }[]
}
