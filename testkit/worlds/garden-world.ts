import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { EntryJson } from "../../src/api/contract/memory-answers.ts"
import type { ModelServer } from "../model-server/model-server.ts"
import { serveModel } from "../model-server/serve-model.ts"
import { throwawayFolder } from "../program/home.ts"
import { createPlainInstallation } from "../program/program.ts"
import { finishes } from "./tend-world.ts"

type Steps = Parameters<ModelServer["script"]>[0]

/**
 * A daemon whose gardener is a model that does what a test says. Nothing is tended before it is told to. The settings are
 * those of `ambient`.
 */
export async function openGardenWorld(settings: Record<string, string> = {}) {
  const project = throwawayFolder()
  const server = await serveModel()
  const installation = createPlainInstallation({ cwd: project })
  const models = `provider = "local"\nlocal_url = "${server.url}/v1"\nlocal_model = "reader"`
  // A gardener that may only look would prove little.
  const others = Object.entries({ garden_after_cycles: "0", ...settings }).map(
    ([key, value]) => `${key} = ${value}`,
  )
  const config = [
    '[embedding]\nmodel = "none"',
    "[api]\nhttp = false",
    "[extraction]\nuse_model = false",
    `[models]\n${models}`,
    `[ambient]\n${others.join("\n")}`,
  ]
  writeFileSync(join(installation.home, "config.toml"), config.join("\n"), { mode: 0o600 })
  await installation.run("pause")
  const { client: person } = await installation.daemonHere()
  return {
    installation,
    server,
    person,
    project,
    /** Remembers something; gives its id. */
    async tell(content: string, more: object = {}) {
      const told = await person.add({ content, project, ...more })
      if (!("id" in told)) throw new Error(JSON.stringify(told))
      return told.id
    },
    /** Lets the gardener do these steps in one cycle, and gives what it was answered after each. */
    async tend(steps: Steps): Promise<string[]> {
      server.script([...steps, finishes("Tended.", 600)])
      const { entries } = await person.journal({ newest: "true", limit: 1 })
      await person.queueAdd({ context: "tidy up" })
      await person.wake()
      await cycleEnded(person.follow({ after: entries.at(-1)?.seq ?? 0 }, AbortSignal.timeout(50_000)))
      return server.requests.slice(1).map(({ asked }) => JSON.stringify(asked.messages.at(-1)))
    },
  }
}

async function cycleEnded(entries: AsyncIterable<EntryJson>): Promise<void> {
  for await (const { kind } of entries) if (kind === "cycle.ended") return
  throw new Error("the cycle did not end")
}
