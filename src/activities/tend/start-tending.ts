import { ambientState } from "../../attention/ambient-state.ts"
import { endCycle, interruptedCycles, lastCycle } from "../../attention/cycles.ts"
import { releaseItems } from "../../attention/queue.ts"
import { type RunDecision, type Scheduler, startScheduler } from "../../attention/scheduler.ts"
import { newId } from "../../base/random.ts"
import { trustNow } from "./control.ts"
import { asGardener } from "./one-gardener.ts"
import { readSituation, type SituationNeeds } from "./read-situation.ts"
import { createEventReader } from "./read-triggers.ts"
import type { TendNeeds } from "./run.ts"
import { runCycle } from "./tend.ts"

export type TendingNeeds = TendNeeds & SituationNeeds

/** Tends for as long as the daemon runs: ends cycles that a crash interrupted, then wakes whenever it is time. */
export async function startTending(needs: TendingNeeds): Promise<Scheduler> {
  await recover(needs)
  const events = createEventReader(needs)
  return startScheduler({
    clock: needs.clock,
    log: needs.log,
    async readSituation() {
      await events.read()
      return readSituation(needs)
    },
    run: (begin, signal) => asGardener(needs, signal, (held) => tendOnce(needs, begin, held)),
    onChange: (listener) => needs.db.onCommit(listener),
  })
}

async function tendOnce(needs: TendingNeeds, begin: RunDecision, signal: AbortSignal): Promise<void> {
  const { db, clock, install, log } = needs
  const state = await ambientState(db, install)
  const before = await lastCycle(db, install, clock.now())
  const { level } = await trustNow(needs, state)
  const { id, status, summary } = await runCycle(needs, begin, { lastCycle: before, level }, signal)
  log.info("A cycle has ended", { cycle: id, status, summary })
}

/** Marks cycles as interrupted that died with their process, and releases their queue items. Nothing is replayed. */
async function recover(needs: TendingNeeds): Promise<void> {
  const { db, clock, install, random, log } = needs
  const now = clock.now()
  for (const cycle of await interruptedCycles(db, install)) {
    const by = { operation: newId(random, "op"), actor: "daemon" }
    const summary = `It was interrupted while ${cycle.progress.phase}; the next cycle continues from there.`
    await db.write(async (transaction) => {
      await endCycle(transaction, { id: cycle.id, now }, { ...cycle, status: "interrupted", summary }, by)
      await releaseItems(transaction, { now, cycle: cycle.id, pauseMs: 0 }, by)
    })
    log.warn("A cycle was interrupted", { cycle: cycle.id, phase: cycle.progress.phase })
  }
}
