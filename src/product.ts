import type { IngestingNeeds } from "./activities/read-sessions/ingesting.ts"
import { createCallBudget } from "./attention/call-budget.ts"
import { sourcesFor } from "./coding/sources/all-sources.ts"
import { toolHomes } from "./coding/tool-homes.ts"
import { claudeCodeMeter } from "./coding/usage/claude-code.ts"
import { codexMeter } from "./coding/usage/codex.ts"
import { geminiMeter } from "./coding/usage/gemini-cli.ts"
import type { AnyMeter } from "./coding/usage/meter.ts"
import { opencodeMeter } from "./coding/usage/opencode.ts"
import { piMeter } from "./coding/usage/pi.ts"
import type { Host } from "./config/paths.ts"
import type { Config } from "./config/schema.ts"
import { bridgeFolder, type Models, openModels } from "./llm/choice/models.ts"
import type { Parts } from "./parts.ts"
import type { InstallCore } from "./storage/core.ts"

/** The models, with the budget checked before every call. */
export function modelsFor(needs: Host & Parts & InstallCore): Models {
  const redact = needs.screen.redactSync
  return openModels({ ...needs, fetch, redact, checkBudget: createCallBudget(needs) })
}

/** The models for the bot's own thoughts in chat: a dedicated one if configured, else the usual. */
export function thoughtModels(needs: Parameters<typeof modelsFor>[0] & { models: Models }): Models {
  const { config } = needs
  const { execution, model } = config.chat.initiative.text
  if (execution !== "dedicated" || model === "") return needs.models
  return modelsFor({ ...needs, config: { ...config, models: { ...config.models, chat: model } } })
}

/** The meters that read the usage of the user's tools from the files they write. */
export function metersFor({ env, paths, config }: Host & { config: Config }): AnyMeter[] {
  if (!config.budget.learn_from_tools) return []
  const own = bridgeFolder(paths)
  const homes = toolHomes(env)
  return [
    codexMeter(homes.codex, own),
    claudeCodeMeter(homes.claudeCode, own),
    opencodeMeter(homes.opencode),
    geminiMeter(homes.geminiCli),
    piMeter(homes.pi),
  ]
}

/** The dependencies of reading the user's sessions. */
export function ingesting(needs: Host & Parts & InstallCore): IngestingNeeds {
  const sources = sourcesFor(needs.env, needs.config, needs.screen.redactSync)
  return { ...needs, sources, ownFolder: bridgeFolder(needs.paths) }
}
