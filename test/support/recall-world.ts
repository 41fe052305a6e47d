import type { z } from "zod"
import type { Log } from "../../src/base/log.ts"
import type { configSchema } from "../../src/config/schema.ts"
import type { Models } from "../../src/llm/models.ts"
import type { Embedder } from "../../src/memory/embedding/embedder.ts"
import { createDeeperLook } from "../../src/memory/recall/deeper-look.ts"
import { openRecall } from "../../src/memory/recall/open-recall.ts"
import type { Happening, RecallSession } from "../../src/memory/recall/recall.ts"
import { type JournalEntry, readJournal } from "../../src/storage/journal.ts"
import type { TestDatabase } from "./databases.ts"
import { openMemoryWorld } from "./memory-world.ts"
import { createToyEmbedder } from "./toy-embedder.ts"

interface RecallOptions {
  config?: z.input<typeof configSchema>
  embedder?: Embedder | undefined
  models?: Models
  log?: Log
}

/** Recall over a memory of its own. Each method waits until nothing is being prepared any more, unless it says otherwise. */
export async function openRecallWorld(store: TestDatabase, options: RecallOptions = {}) {
  const embedder = "embedder" in options ? options.embedder : createToyEmbedder()
  const world = await openMemoryWorld(store, 1, {
    ...(embedder ? { embedder } : {}),
    ...(options.config ? { config: options.config } : {}),
  })
  const needs = {
    ...world,
    install: "install_test",
    models: options.models,
    deeper: createDeeperLook(world.db),
    ...(options.log ? { log: options.log } : {}),
  }
  const recall = openRecall(needs)
  const session: RecallSession = { id: "codex:one", tool: "codex", project: "shop" }
  const turn = async (happening: Happening, of = session, by = recall) => {
    const surfaced = await by.turn(of, happening)
    await by.settled()
    return surfaced
  }
  const contents = ({ memories }: { memories: readonly { content: string }[] }) =>
    memories.map(({ content }) => content)
  return {
    ...world,
    recall,
    session,
    turn,
    /** The memories that a prompt brings up. */
    say: async (text: string, of = session, by = recall) =>
      contents(await turn({ kind: "prompt", text }, of, by)),
    start: async (of = session, by = recall) => {
      const surfaced = await by.start(of)
      await by.settled()
      return surfaced
    },
    contents,
    /** The same memory in another process, as after a restart. */
    reopen: () => openRecall(needs),
    journal: (kind: string): Promise<JournalEntry[]> => readJournal(world.db, { kind }),
  }
}
