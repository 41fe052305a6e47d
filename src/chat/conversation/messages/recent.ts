import type { Line } from "../state.ts"
import { change, type Step } from "../step.ts"

/** So many messages of a room are kept, and so much of each: what a thought of our own may be about. */
const mostRecent = 80
const longestText = 600

/** Keeps a message of a channel where we may begin subjects; of threads, private talk and elsewhere nothing is kept. */
export function addRecent(step: Step, line: Line): void {
  const { community, thread } = step.state.room
  if (!step.settings.policy.begins.is || thread !== null || community.startsWith("dm:")) return
  const { recent = [] } = step.state
  if (recent.some(({ id }) => id === line.id)) return
  const short = { ...line, text: line.text.slice(0, longestText).toWellFormed() }
  change(step, { recent: [...recent, short].slice(-mostRecent) })
}
