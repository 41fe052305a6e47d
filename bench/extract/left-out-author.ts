import { readFileSync } from "node:fs"
import { z } from "zod"
import { readTurnsByRules } from "../../src/memory/extract/rules/read-turns.ts"
import type { Figure } from "../shared/figures.ts"

/** A prompt by an author who had not seen the rules, and by whom nothing was mended. */
const promptSchema = z.object({
  text: z.string(),
  /** What the author says of themselves or their project in it, in other words. */
  teaches: z.array(z.string()),
  /** What was pasted into it and looks like a statement of theirs. */
  trap: z.string().nullable(),
})

/** Of prompts with and without pasted text: how many that teach something were learned from, and how many that do not. */
export function leftOutFigures(): Figure[] {
  const lines = readFileSync(new URL("../data/pasted-left-out.jsonl", import.meta.url), "utf8").split("\n")
  const prompts = lines
    .filter((line) => line !== "")
    .map((line) => promptSchema.parse(JSON.parse(line)))
    .map((prompt) => ({
      ...prompt,
      isLearnedFrom: readTurnsByRules([{ role: "user", text: prompt.text, position: 0, at: 0 }]).length > 0,
    }))
  const teaching = prompts.filter(({ teaches }) => teaches.length > 0)
  const silent = prompts.filter(({ teaches }) => teaches.length === 0)
  const traps = silent.filter(({ trap }) => trap !== null)
  const learned = (some: typeof prompts) => some.filter(({ isLearnedFrom }) => isLearnedFrom).length
  const figure = (name: string, value: number, better: Figure["better"]): Figure => ({
    id: `left-out-author.${name}`,
    value,
    unit: "prompts",
    better,
  })
  return [
    figure("teaching", teaching.length, "higher"),
    figure("teaching.learned-from", learned(teaching), "higher"),
    figure("silent", silent.length, "higher"),
    figure("silent.learned-from", learned(silent), "lower"),
    figure("traps", traps.length, "higher"),
    figure("traps.learned-from", learned(traps), "lower"),
  ]
}
