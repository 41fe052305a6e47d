import type { Line } from "../state.ts"
import { change, type Step } from "../step.ts"

/** At most this many messages of a room are stored for posts of our own, each cut to this many characters. */
const maxRecent = 80
const longestText = 600

/** Stores a message of a channel where we may start topics; threads and private rooms are excluded. */
export function addRecent(step: Step, line: Line): void {
  const { community, thread } = step.state.room
  if (!step.settings.policy.startsTopics.allowed || thread !== null || community.startsWith("dm:")) return
  const { recent = [] } = step.state
  if (recent.some(({ id }) => id === line.id)) return
  const short = { ...line, text: line.text.slice(0, longestText).toWellFormed() }
  change(step, { recent: [...recent, short].slice(-maxRecent) })
}
