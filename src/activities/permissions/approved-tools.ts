import { createLossBudget } from "../../memory/model/agents/losses.ts"
import type { PermissionRequest } from "../../safety/permission/request.ts"
import type { Tool } from "../../safety/tool.ts"
import { type MemoryToolContext, memoryChangeTools } from "../../tools/memory-change.ts"
import { type PushToolContext, pushTool } from "../../tools/push.ts"

/**
 * The tools that can run after a person's approval. Their changes belong to the cycle that asked. Projects that exclude
 * models stay excluded.
 */
export function approvedTools(
  needs: Omit<MemoryToolContext, "by" | "excluded" | "losses" | "onChange"> & PushToolContext,
  { id, askedBy }: PermissionRequest,
  excluded: ReadonlySet<string>,
): Tool[] {
  const { config } = needs
  const memory = memoryChangeTools({
    ...needs,
    by: () => ({ operation: `${askedBy}-${id}`, actor: "ambient" }),
    excluded,
    losses: createLossBudget(config.ambient.losses_per_cycle),
    onChange: async () => {},
  })
  return [...memory, pushTool(needs)]
}
