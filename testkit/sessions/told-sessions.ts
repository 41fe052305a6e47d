import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Answer } from "../../src/api/contract/answers.ts"
import { systemClock } from "../../src/base/clock.ts"
import { silentLog } from "../../src/base/log.ts"
import { systemRandom } from "../../src/base/random.ts"
import { loadInstall } from "../../src/config/install.ts"
import { openDatabase } from "../../src/storage/open-database.ts"
import { serveModel } from "../model-server/serve-model.ts"
import { createPlainInstallation } from "../program/program.ts"
import { notes } from "../worlds/extraction-world.ts"
import { storeSession } from "./session-rows.ts"

/** An installation whose sessions a model reads, which notes the same of each: what the last turn says. */
export async function openToldSessions(content: string) {
  const server = await serveModel()
  const installation = createPlainInstallation()
  const config = `[embedding]\nmodel = "none"\n[models]\nprovider = "local"\nlocal_url = "${server.url}/v1"\nlocal_model = "reader"\n`
  writeFileSync(join(installation.home, "config.toml"), config, { mode: 0o600 })
  const { paths } = installation
  const needs = {
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    url: "",
    file: paths.databaseFile,
  }
  return {
    ...installation,
    /** Stores a session as its source would, and has it read. */
    async read(id: string, said: readonly string[]): Promise<void> {
      const db = await openDatabase(needs)
      const install = loadInstall(paths.installFile, systemRandom).id
      await storeSession(db, { id, install, at: systemClock.now(), said })
      await db.close()
      // A long session is read in parts; only the last of them tells it.
      const parts = Math.ceil(said.length / 80)
      const last = { content, type: "fact", turns: [said.length - 1] }
      server.script(Array.from({ length: parts }, (_, at) => (at === parts - 1 ? notes(last) : notes())))
      await installation.run("extract")
    },
    async listed(status: string) {
      const { memories } = await installation.json<Answer<"list">>("memory", "list", "--status", status)
      return memories.map((memory) => memory.content)
    },
  }
}
