import { mkdirSync } from "node:fs"
import { join } from "node:path"
import type { z } from "zod"
import { ingestOnce } from "../../src/activities/read-sessions/ingesting.ts"
import { openLog } from "../../src/base/log.ts"
import { sourcesFor } from "../../src/coding/sources/all-sources.ts"
import { readEnvironment } from "../../src/config/environment.ts"
import { configSchema } from "../../src/config/schema.ts"
import { createProjectFinder } from "../../src/memory/model/project.ts"
import { openScreen } from "../../src/privacy/screen.ts"
import { listSessions } from "../../src/sessions/sessions.ts"
import { turnsOf } from "../../src/sessions/turns.ts"
import { readJournal } from "../../src/storage/journal.ts"
import { createManualClock } from "../manual-clock.ts"
import { throwawayFolder } from "../program/home.ts"
import { createSeededRandom } from "../seeded-random.ts"
import type { TestDatabase } from "../setup/databases.ts"

const install = "install_test"

/** A user with coding agents, and the part of Reverie that reads their sessions. */
export type SessionWorld = Awaited<ReturnType<typeof openSessionWorld>>

/** Opens such a world; its clock stands at the real present, because files carry that time. */
export async function openSessionWorld(
  store: TestDatabase,
  options: { config?: z.input<typeof configSchema>; tools?: string } = {},
) {
  const clock = createManualClock(Date.now())
  const random = createSeededRandom(1)
  const db = await store.open({ clock, random })
  const tools = options.tools ?? throwawayFolder()
  const homes = {
    claude: join(tools, "claude"),
    codex: join(tools, "codex"),
    opencode: join(tools, "data/opencode"),
    gemini: join(tools, "home/.gemini"),
    pi: join(tools, "pi"),
    jcode: join(tools, "jcode"),
  }
  for (const folder of Object.values(homes)) mkdirSync(folder, { recursive: true })
  const env = readEnvironment(toolEnvironment(tools))
  const logged: string[] = []
  const log = openLog({ clock, level: "debug", write: (line) => logged.push(line) })
  const ownFolder = join(tools, "bridges")
  const needsFor = (given: z.input<typeof configSchema> = options.config ?? {}) => {
    const config = configSchema.parse({ ...given, sessions: { keep_days: 3650, ...given.sessions } })
    const screen = openScreen({ clock }, config.privacy)
    const sources = sourcesFor(env, config, screen.redactSync)
    const projects = createProjectFinder({ clock })
    return { db, clock, random, log, install, config, projects, screen, ownFolder, sources }
  }
  return {
    db,
    clock,
    install,
    homes,
    tools,
    ownFolder,
    logged,
    needsFor,
    ingest: (config?: z.input<typeof configSchema>) => ingestOnce(needsFor(config)),
    sessions: () => listSessions(db, { install }),
    turns: (id: string) => turnsOf(db, id),
    kinds: async (subject: string) => (await readJournal(db, { subject })).map(({ kind }) => kind),
  }
}

/** The variables by which the tools find their files below a folder. */
export function toolEnvironment(tools: string): Record<string, string> {
  return {
    HOME: join(tools, "home"),
    CLAUDE_CONFIG_DIR: join(tools, "claude"),
    CODEX_HOME: join(tools, "codex"),
    XDG_DATA_HOME: join(tools, "data"),
    GEMINI_CLI_HOME: join(tools, "home"),
    PI_CODING_AGENT_DIR: join(tools, "pi"),
    JCODE_HOME: join(tools, "jcode"),
  }
}
