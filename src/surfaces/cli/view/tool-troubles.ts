import { readToolStates, type ToolState } from "../../../coding/connect/tool-state.ts"
import { connectNeeds } from "../connect-needs.ts"
import type { CliNeeds } from "../needs.ts"

/** What keeps connected tools of this machine from using the memory. */
export function readToolTroubles(needs: CliNeeds): string[] {
  return readToolStates(connectNeeds(needs)).flatMap(troublesOf)
}

/** What keeps a connected tool from using the memory, each with what to do about it. */
export function troublesOf({ tool, connections, advice }: ToolState): string[] {
  const broken = connections.flatMap(({ file, project, problem }) => {
    if (problem === null) return []
    const where = project === null ? "" : ` --project '${project}'`
    return [`${file}: ${problem}. Run \`reverie connect ${tool}${where}\` again.`]
  })
  return [...broken, ...advice.map((one) => `${one}.`)]
}
