import { z } from "zod"
import { tryParseJson } from "../../base/text/json.ts"

const catalog = z.looseObject({ models: z.array(z.looseObject({ slug: z.string() })) })

/** Settings of a model that make the program offer it tools, whatever its configuration says. */
const withoutTools = {
  apply_patch_tool_type: null,
  shell_type: "disabled",
  tool_mode: null,
  experimental_supported_tools: [],
  supports_search_tool: false,
  multi_agent_version: null,
}

/** The output of `codex debug models` with all tools removed, as a file for `model_catalog_json`. */
export function catalogWithoutTools(stdout: string): string | undefined {
  const parsed = catalog.safeParse(tryParseJson(stdout))
  if (!parsed.success || parsed.data.models.length === 0) return undefined
  return JSON.stringify({
    ...parsed.data,
    models: parsed.data.models.map((model) => ({ ...model, ...known(model) })),
  })
}

/** Only keys that this version of the program uses. */
function known(model: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(withoutTools).filter(([key]) => key in model))
}
