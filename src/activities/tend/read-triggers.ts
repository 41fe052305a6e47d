import { ambientState, changeAmbientState } from "../../attention/ambient-state.ts"
import { addTrigger, type TriggerKind } from "../../attention/trigger.ts"
import { countActive } from "../../memory/garden/over-capacity.ts"
import { writeContext } from "../../storage/core.ts"
import { type JournalEntry, lastEntry, newOperation, readJournal } from "../../storage/journal.ts"
import type { SituationNeeds } from "./read-situation.ts"

type TriggerNeeds = Omit<SituationNeeds, "models">

/** Journal entries that trigger a cycle. */
const triggerByEntry: Record<string, TriggerKind> = {
  "session.crashed": "session-crashed",
  "session.closed": "session-closed",
  "repository.pushed": "push",
}

const hourMs = 3_600_000
const mostAtOnce = 500
/** Counting a large memory takes a while, and it fills slowly. */
const countEveryMs = 60_000

/**
 * Creates triggers from new journal entries, from the user becoming idle, and from the memory exceeding its capacity. The
 * journal position is saved together with the triggers, so that none is lost or doubled.
 */
export function createEventReader(needs: TriggerNeeds) {
  const { db } = needs
  let seen: number | undefined
  const counting = { isDue: true, notBefore: 0 }
  const idle = { wasNoted: undefined as boolean | undefined }
  const full = { wasNoted: undefined as boolean | undefined }
  return {
    async read(): Promise<void> {
      seen ??= await startPosition(needs)
      const newest = await lastEntry(db)
      if (newest > seen) {
        const kind = Object.keys(triggerByEntry)
        const entries = await readJournal(db, { after: seen, kind, limit: mostAtOnce })
        const last = entries.at(-1)
        const heardTo = entries.length === mostAtOnce && last ? last.seq : newest
        if (entries.length > 0) await noteAll(needs, entries, heardTo)
        seen = heardTo
        counting.isDue = true
      }
      const now = needs.clock.now()
      if (counting.isDue && now >= counting.notBefore) {
        Object.assign(counting, { isDue: false, notBefore: now + countEveryMs })
        await noteOnce(needs, full, await isFull(needs), "memory-full")
      }
      await noteOnce(needs, idle, await isIdle(needs), "user-idle")
    },
  }
}

/** Where to continue in the journal. At the very first start, older entries are skipped. */
async function startPosition(needs: TriggerNeeds): Promise<number> {
  const { heardTo } = await ambientState(needs.db, needs.install)
  return heardTo ?? (await savePosition(needs, await lastEntry(needs.db)))
}

async function savePosition(needs: TriggerNeeds, heardTo: number): Promise<number> {
  await needs.db.write((transaction) =>
    changeAmbientState(
      transaction,
      writeContext(needs),
      { heardTo },
      { ...newOperation(needs, "daemon"), kind: "ambient.listening" },
    ),
  )
  return heardTo
}

async function noteAll(
  needs: TriggerNeeds,
  entries: readonly JournalEntry[],
  heardTo: number,
): Promise<void> {
  const from = newOperation(needs, "daemon")
  await needs.db.write(async (transaction) => {
    for (const { kind, subject } of entries) {
      const trigger = triggerByEntry[kind]
      if (trigger) await addTrigger(transaction, writeContext(needs), { kind: trigger, about: subject }, from)
    }
    await changeAmbientState(
      transaction,
      writeContext(needs),
      { heardTo },
      { ...from, kind: "ambient.heard", data: { heardTo } },
    )
  })
}

/** Triggers once when a state begins. A state that existed at the start of the program is not new. */
async function noteOnce(
  needs: TriggerNeeds,
  noted: { wasNoted: boolean | undefined },
  isSo: boolean,
  kind: TriggerKind,
): Promise<void> {
  const isNew = isSo && noted.wasNoted === false
  noted.wasNoted = isSo
  if (isNew)
    await needs.db.write((transaction) =>
      addTrigger(transaction, writeContext(needs), { kind }, newOperation(needs, "daemon")),
    )
}

async function isIdle({ clock, config, lastUserAt }: TriggerNeeds): Promise<boolean> {
  const at = await lastUserAt()
  return at !== null && clock.now() - at > config.budget.idle_after_hours * hourMs
}

async function isFull({ db, config }: TriggerNeeds): Promise<boolean> {
  const { capacity } = config.memory
  return capacity > 0 && (await countActive(db)) > capacity
}
