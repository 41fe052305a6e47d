import { messageOf } from "../../base/errors.ts"
import { newId } from "../../base/random.ts"
import { closeGapOf, noteGap } from "../../memory/write/gaps.ts"
import { appendEntry, type NewEntry } from "../../storage/journal.ts"
import { type RecallCore, settingsOf } from "../core.ts"
import type { Occasion } from "../occasion.ts"
import type { LiveSession } from "../session/live-sessions.ts"
import type { Looked } from "./choose-memories.ts"
import { tidyUp } from "./upkeep.ts"
import { isWorthAsking } from "./worth-asking.ts"

/** What a look was for. */
interface LookedFor {
  occasion: Occasion
  /** The number of a look that this one is the better answer to. */
  replaces?: number | undefined
}

/** What waits to be brought up: so many times what is brought up at once. */
const waitingFactor = 2

/** Puts what a look chose before what still waits, keeps the state, and tidies up after the look. */
export async function keepLooked(
  core: RecallCore,
  live: LiveSession,
  looked: Looked,
  { occasion, replaces }: LookedFor,
): Promise<void> {
  const { state } = live
  state.looks += 1
  const fresh = looked.chosen.filter(({ id }) => !state.surfaced.includes(id))
  const chosen = fresh.map((one) => ({ ...one, look: state.looks }))
  const rest = state.prepared.filter(
    ({ id, look }) => look !== replaces && !chosen.some((one) => one.id === id),
  )
  state.prepared = [...chosen, ...rest].slice(0, waitingFactor * settingsOf(core, live).max_memories)
  const { relevant, irrelevant, decidedBy, confidence, isGap } = looked
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
  await tidyUp(core, findings, { operation: entry.operation, actor: entry.actor }).catch((error) =>
    core.log.warn("Upkeep after a look failed", { reason: messageOf(error) }),
  )
}

/** Notes whether a question found anything: a gap is opened, counted or closed. Once for each question. */
export function noteAnswer(
  core: RecallCore,
  live: LiveSession,
  { isGap, chosen }: Pick<Looked, "isGap" | "chosen">,
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

/** A journal entry of what recall did for a session. */
export function entryOf(
  { random, clock }: Pick<RecallCore, "random" | "clock">,
  { session }: LiveSession,
  kind: NewEntry["kind"],
  data: object,
): NewEntry {
  const operation = newId(random, "op")
  return { operation, actor: "recall", at: clock.now(), kind, subject: session.id, data }
}
