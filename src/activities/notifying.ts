import { findCycle } from "../attention/cycles.ts"
import { messageOf } from "../base/errors.ts"
import { type Loop, startLoop } from "../base/loop.ts"
import { afterQuietHours } from "../base/quiet-hours.ts"
import { detailedBody, type EndedCycle, type RequestToDecide, safeBody } from "../safety/notify/body.ts"
import type { Notice, Notifier, SendResult } from "../safety/notify/notice.ts"
import {
  claimNotice,
  deleteOldNotices,
  dueNotices,
  finishNotice,
  interruptedNotices,
  journalPosition,
  type NoticeOutcome,
  nextDue,
  queueNotice,
  type StoredNotice,
  saveJournalPosition,
} from "../safety/notify/outbox.ts"
import { type Urgency, urgencies } from "../safety/permission/request.ts"
import { findRequest } from "../safety/permission/requests.ts"
import { type ApprovalKey, deleteExpiredTokens, issueCode, issueToken } from "../safety/permission/token.ts"
import type { InstallCore } from "../storage/core.ts"
import { type JournalEntry, lastEntry, newOperation, readJournal } from "../storage/journal.ts"
import { sql } from "../storage/sql.ts"
import type { Transaction } from "../storage/transaction.ts"

interface NotifyingNeeds extends InstallCore {
  key: ApprovalKey
  /** The current channels; those of chat change at run time. */
  notifiers(): readonly Notifier[]
}

const retryMs = 30_000
/** Several commits in a row cause one run. */
const soonMs = 250
const mostAtOnce = 500
/** Pauses before the retries; after the last one, the notice has failed. */
const retryPauses = [60_000, 300_000, 900_000, 3_600_000, 10_800_000]
const retentionMs = 30 * 86_400_000

/** Notifies people of requests and ended cycles, from the journal. Returns how to stop. */
export function startNotifying(needs: NotifyingNeeds): () => Promise<void> {
  const { db, clock } = needs
  const queueNew = createJournalReader(needs)
  let hasBegun = false
  const work = async (signal: AbortSignal) => {
    if (!hasBegun) await finishInterrupted(needs)
    hasBegun = true
    await queueNew()
    await sendDue(needs, signal)
    const due = await nextDue(db, needs.install)
    return due === undefined ? Number.POSITIVE_INFINITY : Math.max(0, due - clock.now())
  }
  const wakeOn = (loop: Loop) => db.onCommit(() => loop.wakeWithin(soonMs))
  return startLoop(needs, { work, problem: "Notifying people failed", retryMs, wakeOn }).stop
}

/** Finishes notices that an earlier process was sending, and deletes old ones. */
async function finishInterrupted(needs: NotifyingNeeds): Promise<void> {
  const { db, install, clock } = needs
  const now = clock.now()
  const channels = needs.notifiers()
  const left = await interruptedNotices(db, install)
  const reason = "the program ended while it was being sent"
  await db.write(async (transaction) => {
    for (const { id, channel } of left) {
      const again = channels.find((one) => one.id === channel)?.deduplicates ? now : null
      const fate: NoticeOutcome =
        again === null ? { outcome: "unknown", reason } : { outcome: "failed", reason, again }
      await finishNotice(transaction, { id, now }, fate, newOperation(needs, "daemon"))
    }
    await deleteOldNotices(transaction, install, now - retentionMs)
    await deleteExpiredTokens(transaction, install, now - retentionMs)
  })
}

/** Queues notices for new journal entries. The journal position is saved in the same transaction. */
function createJournalReader(needs: NotifyingNeeds): () => Promise<void> {
  const { db, install } = needs
  let seen: number | undefined
  return async () => {
    seen ??= await startPosition(needs)
    for (;;) {
      const newest = await lastEntry(db)
      if (newest <= seen) return
      const entries = await readJournal(db, {
        after: seen,
        kind: ["permission.requested", "cycle.ended"],
        where: sql`install = ${install}`,
        imported: false,
        limit: mostAtOnce,
      })
      const last = entries.at(-1)
      const heard = last && entries.length === mostAtOnce ? last.seq : Math.max(newest, last?.seq ?? 0)
      if (last)
        await db.write(async (transaction) => {
          for (const entry of entries) await queueEntry(transaction, needs, entry)
          await saveJournalPosition(transaction, install, last.seq)
        })
      seen = heard
    }
  }
}

/** Where to continue in the journal. At the very first start, older entries are skipped. */
async function startPosition({ db, install }: NotifyingNeeds): Promise<number> {
  const heard = await journalPosition(db, install)
  if (heard !== undefined) return heard
  const newest = await lastEntry(db)
  await db.write((transaction) => saveJournalPosition(transaction, install, newest))
  return newest
}

async function queueEntry(
  transaction: Transaction,
  needs: NotifyingNeeds,
  { kind, subject, data }: JournalEntry,
): Promise<void> {
  const { notify } = needs.config
  if (subject === null) return
  const isRequest = kind === "permission.requested"
  if (!isRequest && !notify.cycle_summaries) return
  const urgency = isRequest ? urgencyIn(data) : "low"
  if (isRequest && urgencies.indexOf(urgency) < urgencies.indexOf(notify.min_urgency)) return
  const now = needs.clock.now()
  const dueAt = afterQuiet(needs, now + notify.batch_seconds * 1000, urgency)
  const about = { kind: isRequest ? ("request" as const) : ("cycle" as const), id: subject }
  const from = newOperation(needs, "daemon")
  for (const { id: channel } of needs.notifiers())
    await queueNotice(transaction, { ...needs, now }, { channel, subject: about, urgency, dueAt }, from)
}

function urgencyIn(data: unknown): Urgency {
  const value = typeof data === "object" && data !== null && "urgency" in data ? data.urgency : undefined
  return urgencies.find((one) => one === value) ?? "normal"
}

/** Quiet hours do not apply to high urgency. */
function afterQuiet({ config }: NotifyingNeeds, at: number, urgency: Urgency): number {
  return urgency === "high" ? at : afterQuietHours(at, config.notify)
}

/** Sends due notices, each channel on its own, so that a slow one does not delay the others. */
async function sendDue(needs: NotifyingNeeds, signal: AbortSignal): Promise<void> {
  const due = await dueNotices(needs.db, needs.install, needs.clock.now())
  await Promise.all(
    [...Map.groupBy(due, ({ channel }) => channel).values()].map(async (notices) => {
      for (const notice of notices) {
        if (signal.aborted) return
        await sendOne(needs, notice, signal)
      }
    }),
  )
}

/** Claims a notice, sends it and saves the result. */
async function sendOne(needs: NotifyingNeeds, stored: StoredNotice, signal: AbortSignal): Promise<void> {
  const { db, clock, log } = needs
  const notifier = needs.notifiers().find(({ id }) => id === stored.channel)
  const prepared = await db.write(async (transaction) => {
    const now = clock.now()
    const from = newOperation(needs, "daemon")
    if (!(await claimNotice(transaction, { id: stored.id, now }, from))) return undefined
    const notice = notifier && (await compose(transaction, needs, notifier, stored))
    if (notice === undefined) {
      const reason = notifier ? "it was decided before it was sent" : "the channel is no longer set up"
      await finishNotice(transaction, { id: stored.id, now }, { outcome: "dropped", reason }, from)
    }
    return notice
  })
  if (prepared === undefined || notifier === undefined) return
  const sent = await notifier
    .send(prepared, signal)
    .catch((error): SendResult => ({ outcome: "unknown", reason: messageOf(error) }))
  const fate = outcomeOf(needs, stored, sent)
  if (fate.outcome !== "sent" && fate.outcome !== "dropped")
    log.warn("A notice could not be sent", { channel: stored.channel, reason: fate.reason })
  await db.write((transaction) =>
    finishNotice(transaction, { id: stored.id, now: clock.now() }, fate, newOperation(needs, "daemon")),
  )
}

function outcomeOf(
  needs: NotifyingNeeds,
  { attempts, urgency }: StoredNotice,
  sent: SendResult,
): NoticeOutcome {
  if (sent.outcome !== "failed") return sent
  const wait = retryPauses[attempts]
  const again = sent.retry && wait !== undefined ? afterQuiet(needs, needs.clock.now() + wait, urgency) : null
  return { outcome: "failed", reason: sent.reason, again }
}

/** The current text of a notice; undefined if nothing in it is still waiting. Links are made for its recipient only. */
async function compose(
  transaction: Transaction,
  needs: NotifyingNeeds,
  notifier: Notifier,
  stored: StoredNotice,
): Promise<Notice | undefined> {
  const now = needs.clock.now()
  const requests: RequestToDecide[] = []
  const cycles: EndedCycle[] = []
  for (const { kind, id } of stored.about) {
    if (kind === "cycle") {
      const cycle = await findCycle(transaction, needs.install, id)
      if (cycle) cycles.push({ id, status: cycle.status, summary: cycle.summary ?? "" })
      continue
    }
    const request = await findRequest(transaction, needs.install, id)
    if (request?.state !== "pending" || request.expiresAt <= now) continue
    requests.push({ request, ...(await linkAndCode(transaction, needs, notifier, request)) })
  }
  if (requests.length + cycles.length === 0) return undefined
  const body = (notifier.isPrivate ? detailedBody : safeBody)({ requests, cycles, now })
  const { id, urgency, createdAt } = stored
  const about = stored.about.filter((one) =>
    [...requests.map(({ request }) => request), ...cycles].some((told) => told.id === one.id),
  )
  return { id, urgency, createdAt, about, ...body }
}

async function linkAndCode(
  transaction: Transaction,
  needs: NotifyingNeeds,
  { isPrivate, person, supportsCodes, supportsLinks }: Notifier,
  request: RequestToDecide["request"],
): Promise<Pick<RequestToDecide, "link" | "code">> {
  if (!isPrivate) return {}
  const base = needs.config.notify.link_base.replace(/\/+$/, "")
  const grant = { request, person, expiresAt: request.expiresAt }
  const token = base === "" || !supportsLinks ? undefined : await issueToken(transaction, needs, grant)
  return {
    link: token === undefined ? undefined : `${base}/approve/${token}`,
    code: supportsCodes ? await issueCode(transaction, needs, grant) : undefined,
  }
}
