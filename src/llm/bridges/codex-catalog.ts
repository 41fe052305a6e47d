import { z } from "zod"
import { jsonIn } from "../../base/text/json.ts"

const catalog = z.looseObject({ models: z.array(z.looseObject({ slug: z.string() })) })

/** What makes the program offer a model its own tools, whatever its settings say. */
const withoutTools = {
  apply_patch_tool_type: null,
  shell_type: "disabled",
  tool_mode: null,
  experimental_supported_tools: [],
  supports_search_tool: false,
  multi_agent_version: null,
}

/** The models of `codex debug models` with every tool taken from them, as a file for `model_catalog_json`. */
export function catalogWithoutTools(stdout: string): string | undefined {
  const parsed = catalog.safeParse(jsonIn(stdout))
  if (!parsed.success || parsed.data.models.length === 0) return undefined
  return JSON.stringify({
    ...parsed.data,
    models: parsed.data.models.map((model) => ({ ...model, ...known(model) })),
  })
}

/** Only what this version of the program has itself, so that none is told what it does not know. */
function known(model: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(withoutTools).filter(([key]) => key in model))
}
