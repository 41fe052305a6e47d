import { countLosses } from "../../memory/model/agents/losses.ts"
import type { PermissionRequest } from "../../safety/permission/request.ts"
import type { Tool } from "../../safety/tool.ts"
import { type MemoryDesk, memoryChangeTools } from "../../tools/memory-change.ts"
import { type PushDesk, pushTool } from "../../tools/push.ts"

/**
 * The tools that a person can let run by approving a request. What they change belongs to the cycle that asked; projects
 * that keep every model out are none of their business either.
 */
export function approvedTools(
  needs: Omit<MemoryDesk, "by" | "excluded" | "losses" | "onDeed"> & PushDesk,
  { id, askedBy }: PermissionRequest,
  excluded: ReadonlySet<string>,
): Tool[] {
  const { config } = needs
  const memory = memoryChangeTools({
    ...needs,
    by: () => ({ operation: `${askedBy}-${id}`, actor: "ambient" }),
    excluded,
    losses: countLosses(config.ambient.losses_per_cycle),
    onDeed: async () => {},
  })
  return [...memory, pushTool(needs)]
}
