import type { ToolState } from "../../../coding/connect/tool-state.ts"

/** What keeps a connected tool from using the memory, each with what to do about it. */
export function troublesOf({ tool, connections, advice }: ToolState): string[] {
  const broken = connections.flatMap(({ file, project, problem }) => {
    if (problem === null) return []
    const where = project === null ? "" : ` --project '${project}'`
    return [`${file}: ${problem}. Run \`reverie connect ${tool}${where}\` again.`]
  })
  return [...broken, ...advice.map((one) => `${one}.`)]
}
