import { messageOf } from "../../base/errors.ts"
import { newId } from "../../base/random.ts"
import { closeGapOf, longestQuestion, noteGap } from "../../memory/write/gaps.ts"
import { appendEntry, type NewEntry } from "../../storage/journal.ts"
import { countContentWords } from "../build-queries.ts"
import { type RecallCore, settingsOf } from "../core.ts"
import type { WorkOccasion } from "../occasion.ts"
import type { LiveSession } from "../session/live-sessions.ts"
import { asks } from "../topic.ts"
import type { RecallResult } from "./choose-memories.ts"
import { updateAfterSearch } from "./upkeep.ts"

/** At most this many times what is brought up at once is prepared. */
const waitingFactor = 2

/**
 * Prepares what a search chose, before what is prepared already, and updates the memories that it judged. `replaces` is the
 * number of a search of which this one is the better answer.
 */
export async function saveResult(
  core: RecallCore,
  live: LiveSession,
  result: RecallResult,
  { occasion, replaces }: { occasion: "prompt" | WorkOccasion; replaces?: number },
): Promise<void> {
  const { state } = live
  state.looks += 1
  const fresh = result.chosen.filter(({ id }) => !state.surfaced.includes(id))
  const chosen = fresh.map((one) => ({ ...one, look: state.looks }))
  const rest = state.prepared.filter(
    ({ id, look }) => look !== replaces && !chosen.some((one) => one.id === id),
  )
  state.prepared = [...chosen, ...rest].slice(0, waitingFactor * settingsOf(core, live).max_memories)
  const { relevant, irrelevant, decidedBy, confidence, isGap } = result
  const ids = chosen.map(({ id }) => id)
  const entry = entryOf(core, live, "recall.prepared", {
    occasion,
    decidedBy,
    confidence,
    isGap,
    chosen: ids,
    irrelevant,
  })
  core.sessions.save(live, async (transaction) => {
    if (ids.length > 0 || irrelevant.length > 0) await appendEntry(transaction, entry)
  })
  const findings = { relevant, irrelevant, judged: decidedBy === "judge", session: live.session.id }
  await updateAfterSearch(core, findings, { operation: entry.operation, actor: entry.actor }).catch((error) =>
    core.log.warn("Memories could not be updated after a search", { reason: messageOf(error) }),
  )
}

/** Opens, counts or closes a gap, depending on whether a question found anything. Call it once per question. */
export function recordGap(
  core: RecallCore,
  live: LiveSession,
  { isGap, chosen }: Pick<RecallResult, "isGap" | "chosen">,
  question: string,
): void {
  const [best] = chosen
  if (!isWorthAsking(question) || (best === undefined && !isGap)) return
  const { install, clock, random } = core
  const at = clock.now()
  const by = { operation: newId(random, "op"), actor: "recall" }
  const project = live.scope?.projects[0] ?? null
  core.sessions.save(live, (transaction) =>
    best
      ? closeGapOf(transaction, { project, question, memory: best.id, at }, by)
      : noteGap(transaction, { install, project, question, session: live.session.id, at }, by),
  )
}

/** Questions with fewer content words are not recorded. */
const fewestWords = 3

/** Whether a text is a question that memory could answer. */
function isWorthAsking(text: string): boolean {
  const question = text.trim()
  const isAsked =
    asks(question) || /^(?:what|when|where|which|who|why|how|do|does|did|is|are|can)\b/i.test(question)
  return isAsked && question.length <= longestQuestion && countContentWords(question) >= fewestWords
}

/** A journal entry about a session. */
export function entryOf(
  { random, clock }: Pick<RecallCore, "random" | "clock">,
  { session }: LiveSession,
  kind: NewEntry["kind"],
  data: object,
): NewEntry {
  const operation = newId(random, "op")
  return { operation, actor: "recall", at: clock.now(), kind, subject: session.id, data }
}
