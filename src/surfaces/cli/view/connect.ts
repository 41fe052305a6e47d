import { dirname } from "node:path"
import { lineDiff } from "../../../base/text/line-diff.ts"
import type { Connectable } from "../../../coding/connect/connectable.ts"
import type { FileChange } from "../../../coding/connect/plan.ts"
import type { CliNeeds } from "../needs.ts"
import type { Output } from "../output.ts"

/** The result of connecting or disconnecting. */
export type Outcome = "connected" | "disconnected" | "unchanged" | "planned"

/** What was done with one tool. */
export interface Done {
  tool: Connectable
  project: string | undefined
  outcome: Outcome
  plan: readonly FileChange[]
  /** Backups of the files that were changed. */
  copies: readonly { file: string; backup: string | null }[]
  notes: readonly string[]
}

/** Prints the new files only, for people who manage them elsewhere. */
export function printPlan(output: Output, plan: readonly FileChange[]): void {
  for (const { file, after } of plan) {
    output.say(`${file}:`)
    output.data((after ?? "").trimEnd())
  }
  if (plan.length === 0) output.say("Nothing would change.")
}

/** Shows what would change: each file in one line, or its diff. */
export function showPlan(
  { output, env }: CliNeeds,
  { name }: Connectable,
  plan: readonly FileChange[],
  isWhole: boolean,
): void {
  if (isWhole) showDiff(output, plan)
  if (isWhole || plan.length === 0) return
  output.say(`${name}:`)
  for (const change of plan) {
    const file = change.file.startsWith(`${env.userHome}/`)
      ? `~${change.file.slice(env.userHome.length)}`
      : change.file
    output.say(`  ${file}: ${kindOf(change)}, ${change.what}`)
  }
}

function showDiff(output: Output, plan: readonly FileChange[]): void {
  const paint = (line: string) => {
    if (line.startsWith("+")) return output.paint("green", line)
    return line.startsWith("-") ? output.paint("red", line) : line
  }
  for (const change of plan) {
    output.say(`${change.file} (${kindOf(change)})`)
    for (const line of lineDiff(change.before ?? "", change.after ?? "")) output.say(`  ${paint(line)}`)
  }
}

function kindOf({ before, after }: FileChange): "created" | "changed" | "removed" {
  if (after === undefined) return "removed"
  return before === undefined ? "created" : "changed"
}

/** The result for programs. */
export function doneJson({ tool, project, outcome, plan, copies, notes }: Done) {
  const files = plan.map((change) => ({
    file: change.file,
    change: kindOf(change),
    backup: copies.find(({ file }) => file === change.file)?.backup ?? null,
    diff: lineDiff(change.before ?? "", change.after ?? ""),
  }))
  return { schemaVersion: 1, outcome, tool: tool.tool, project: project ?? null, files, notes }
}

/** The result in sentences. */
export function printDone({ output }: CliNeeds, { tool, project, outcome, copies, notes }: Done): void {
  const where = project === undefined ? "" : ` --project '${project}'`
  const undo = `\`reverie connect ${tool.tool}${where} --uninstall\` undoes it.`
  const sentences: Record<Outcome, string> = {
    connected: `${tool.name} is connected; its next session uses the memory while the daemon runs. ${undo}`,
    disconnected: `${tool.name} is disconnected.`,
    unchanged: "No change: already done.",
    planned: "Nothing was changed; --diff shows each line.",
  }
  output.say(sentences[outcome])
  const backups = copies.flatMap(({ backup }) => backup ?? [])
  if (backups[0] !== undefined) output.say(`The old files are in ${dirname(backups[0])}.`)
  for (const note of notes) output.say(note)
}
