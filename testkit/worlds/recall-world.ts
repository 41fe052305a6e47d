import type { z } from "zod"
import { type Log, silentLog } from "../../src/base/log.ts"
import { readEnvironment } from "../../src/config/environment.ts"
import { pathsFor } from "../../src/config/paths.ts"
import type { configSchema } from "../../src/config/schema.ts"
import type { Embedder } from "../../src/embedding/embedder.ts"
import { openModels } from "../../src/llm/choice/models.ts"
import { createSourceReader } from "../../src/recall/choose/read-source.ts"
import { openRecall } from "../../src/recall/open-recall.ts"
import type { RecallSession, SessionEvent } from "../../src/recall/types.ts"
import { type JournalEntry, readJournal } from "../../src/storage/journal.ts"
import type { ModelServer } from "../model-server/model-server.ts"
import { throwawayFolder } from "../program/home.ts"
import type { TestDatabase } from "../setup/databases.ts"
import { createToyEmbedder } from "../toy-embedder.ts"
import { openMemoryWorld } from "./memory-world.ts"

interface RecallOptions {
  config?: z.input<typeof configSchema>
  embedder?: Embedder | undefined
  /** The server of a model that judges. */
  server?: ModelServer
  log?: Log
}

export type RecallWorld = Awaited<ReturnType<typeof openRecallWorld>>

/** Recall over a memory of its own. Each method waits until nothing is being prepared any more, unless it says otherwise. */
export async function openRecallWorld(store: TestDatabase, options: RecallOptions = {}) {
  const embedder = "embedder" in options ? options.embedder : createToyEmbedder()
  const models = options.server
    ? { provider: "local" as const, local_url: `${options.server.url}/v1`, local_model: "qwen3" }
    : { provider: "none" as const }
  const config = { models, ...options.config }
  const world = await openMemoryWorld(store, 1, { ...(embedder ? { embedder } : {}), config })
  const env = readEnvironment({ REVERIE_HOME: throwawayFolder() })
  const install = "install_test"
  const asked = { ...world, env, paths: pathsFor(env), install, fetch, redact: (text: string) => text }
  const needs = {
    ...world,
    install,
    ...(options.server ? { models: openModels({ ...asked, log: silentLog }) } : {}),
    sourceReader: createSourceReader(world.db),
    ...(options.log ? { log: options.log } : {}),
  }
  const recall = openRecall(needs)
  const session: RecallSession = { id: "codex:one", tool: "codex", project: "shop" }
  const turn = async (happening: SessionEvent, of = session, by = recall) => {
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
