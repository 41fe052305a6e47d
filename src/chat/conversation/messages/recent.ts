import type { Line } from "../state.ts"
import { change, type Step } from "../step.ts"

/** So many messages of a room are kept, and so much of each: what a thought of our own may be about. */
const mostRecent = 80
const longestText = 600

/** Keeps a message where we may begin subjects; elsewhere nothing is kept. */
export function addRecent(step: Step, line: Line): void {
  if (!step.settings.policy.begins.is) return
  const { recent = [] } = step.state
  if (recent.some(({ id }) => id === line.id)) return
  const short = { ...line, text: line.text.slice(0, longestText).toWellFormed() }
  change(step, { recent: [...recent, short].slice(-mostRecent) })
}
