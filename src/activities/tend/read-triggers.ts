import { ambientState, changeAmbientState } from "../../attention/ambient-state.ts"
import { noteTrigger, type TriggerKind } from "../../attention/trigger.ts"
import { newId } from "../../base/random.ts"
import { countActive } from "../../memory/garden/over-capacity.ts"
import type { InstallCore } from "../../storage/core.ts"
import { type JournalEntry, lastEntry, readJournal } from "../../storage/journal.ts"

interface TriggerNeeds extends InstallCore {
  lastUserAt(): Promise<number | null>
}

/** Journal entries that ask for a cycle. */
const triggerByEntry: Record<string, TriggerKind> = {
  "session.crashed": "session-crashed",
  "session.closed": "session-closed",
  "repository.pushed": "push",
}

const hourMs = 3_600_000
const mostAtOnce = 500
/** Counting a large memory takes a while; it does not fill up that quickly. */
const countEveryMs = 60_000

/**
 * Turns what happened since the last look into triggers: entries of the journal, the user having gone, the memory being
 * over its capacity. How far the journal was heard is kept together with the triggers, so that none is lost or doubled.
 */
export function createEventReader(needs: TriggerNeeds) {
  const { db } = needs
  let seen: number | undefined
  const counting = { isDue: true, notBefore: 0 }
  const idle = { wasNoted: undefined as boolean | undefined }
  const full = { wasNoted: undefined as boolean | undefined }
  return {
    async read(): Promise<void> {
      seen ??= await beginHearing(needs)
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

function by({ random }: TriggerNeeds) {
  return { operation: newId(random, "op"), actor: "daemon" }
}

function where({ install, random, clock }: TriggerNeeds) {
  return { install, random, now: clock.now() }
}

/** Where to go on; what was before the first start ever asks for nothing. */
async function beginHearing(needs: TriggerNeeds): Promise<number> {
  const { heardTo } = await ambientState(needs.db, needs.install)
  return heardTo ?? (await keepHeard(needs, await lastEntry(needs.db)))
}

async function keepHeard(needs: TriggerNeeds, heardTo: number): Promise<number> {
  await needs.db.write((transaction) =>
    changeAmbientState(transaction, where(needs), { heardTo }, { ...by(needs), kind: "ambient.listening" }),
  )
  return heardTo
}

async function noteAll(
  needs: TriggerNeeds,
  entries: readonly JournalEntry[],
  heardTo: number,
): Promise<void> {
  const from = by(needs)
  await needs.db.write(async (transaction) => {
    for (const { kind, subject } of entries) {
      const trigger = triggerByEntry[kind]
      if (trigger) await noteTrigger(transaction, where(needs), { kind: trigger, about: subject }, from)
    }
    await changeAmbientState(
      transaction,
      where(needs),
      { heardTo },
      { ...from, kind: "ambient.heard", data: { heardTo } },
    )
  })
}

/** Notes a state of things once, when it begins; what was so at the start of the program is nothing new. */
async function noteOnce(
  needs: TriggerNeeds,
  noted: { wasNoted: boolean | undefined },
  isSo: boolean,
  kind: TriggerKind,
): Promise<void> {
  const isNew = isSo && noted.wasNoted === false
  noted.wasNoted = isSo
  if (isNew)
    await needs.db.write((transaction) => noteTrigger(transaction, where(needs), { kind }, by(needs)))
}

async function isIdle({ clock, config, lastUserAt }: TriggerNeeds): Promise<boolean> {
  const at = await lastUserAt()
  return at !== null && clock.now() - at > config.budget.idle_after_hours * hourMs
}

async function isFull({ db, config }: TriggerNeeds): Promise<boolean> {
  const { capacity } = config.memory
  return capacity > 0 && (await countActive(db)) > capacity
}
