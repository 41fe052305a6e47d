import { findCycle } from "../attention/cycles.ts"
import { messageOf } from "../base/errors.ts"
import { startLoop } from "../base/loop.ts"
import { afterQuietHours } from "../base/quiet-hours.ts"
import { newId } from "../base/random.ts"
import { type AskedFor, detailedBody, type EndedCycle, safeBody } from "../safety/notify/body.ts"
import type { Notice, Notifier, Sent } from "../safety/notify/notice.ts"
import {
  brokenOff,
  claimNotice,
  dueNotices,
  type Fate,
  forgetNotices,
  heardTo,
  keepHeard,
  nextDue,
  queueNotice,
  type StoredNotice,
  settleNotice,
} from "../safety/notify/outbox.ts"
import { type Urgency, urgencies } from "../safety/permission/request.ts"
import { findRequest } from "../safety/permission/requests.ts"
import { type ApprovalKey, forgetTokens, issueCode, issueToken } from "../safety/permission/token.ts"
import type { InstallCore } from "../storage/core.ts"
import { type By, type JournalEntry, lastEntry, readJournal } from "../storage/journal.ts"
import { sql } from "../storage/sql.ts"
import type { Transaction } from "../storage/transaction.ts"

interface NotifyingNeeds extends InstallCore {
  key: ApprovalKey
  /** The channels there are now; those of chat come and go. */
  notifiers(): readonly Notifier[]
}

const retryMs = 30_000
/** Several commits in a row are one reason to look. */
const soonMs = 250
const mostAtOnce = 500
/** How long to wait before each further attempt; then it is given up. */
const waits = [60_000, 300_000, 900_000, 3_600_000, 10_800_000]
const keptMs = 30 * 86_400_000

/** Tells people what waits for them, as the journal tells it. Returns how to stop. */
export function startNotifying(needs: NotifyingNeeds): () => Promise<void> {
  const { db, clock } = needs
  const hear = createHearing(needs)
  let hasBegun = false
  const work = async (signal: AbortSignal) => {
    if (!hasBegun) await begin(needs)
    hasBegun = true
    await hear()
    await sendDue(needs, signal)
    const due = await nextDue(db, needs.install)
    return due === undefined ? Number.POSITIVE_INFINITY : Math.max(0, due - clock.now())
  }
  const loop = startLoop(needs, { work, problem: "Telling people what waits for them failed", retryMs })
  const unlisten = db.onCommit(() => loop.soon(soonMs))
  return async () => {
    unlisten()
    await loop.stop()
  }
}

function by({ random }: NotifyingNeeds): By {
  return { operation: newId(random, "op"), actor: "daemon" }
}

/** Settles what a program that ended was sending, and forgets what is old. */
async function begin(needs: NotifyingNeeds): Promise<void> {
  const { db, install, clock } = needs
  const now = clock.now()
  const channels = needs.notifiers()
  const left = await brokenOff(db, install)
  const reason = "the program ended while it was being sent"
  await db.write(async (transaction) => {
    for (const { id, channel } of left) {
      const again = channels.find((one) => one.id === channel)?.knowsAgain ? now : null
      const fate: Fate =
        again === null ? { outcome: "unknown", reason } : { outcome: "failed", reason, again }
      await settleNotice(transaction, { id, now }, fate, by(needs))
    }
    await forgetNotices(transaction, install, now - keptMs)
    await forgetTokens(transaction, install, now - keptMs)
  })
}

/** Queues what happened since the last look; how far it looked is kept together with what came of it. */
function createHearing(needs: NotifyingNeeds): () => Promise<void> {
  const { db, install } = needs
  let seen: number | undefined
  return async () => {
    seen ??= await beginHearing(needs)
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
          await keepHeard(transaction, install, last.seq)
        })
      seen = heard
    }
  }
}

/** Where to go on; what was before the first start ever is nothing new. */
async function beginHearing({ db, install }: NotifyingNeeds): Promise<number> {
  const heard = await heardTo(db, install)
  if (heard !== undefined) return heard
  const newest = await lastEntry(db)
  await db.write((transaction) => keepHeard(transaction, install, newest))
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
  const dueAt = whenAllowed(needs, now + notify.batch_seconds * 1000, urgency)
  const about = { kind: isRequest ? ("request" as const) : ("cycle" as const), id: subject }
  const from = by(needs)
  for (const { id: channel } of needs.notifiers())
    await queueNotice(transaction, { ...needs, now }, { channel, subject: about, urgency, dueAt }, from)
}

function urgencyIn(data: unknown): Urgency {
  const said = typeof data === "object" && data !== null && "urgency" in data ? data.urgency : undefined
  return urgencies.find((one) => one === said) ?? "normal"
}

/** High urgency passes the quiet hours. */
function whenAllowed({ config }: NotifyingNeeds, at: number, urgency: Urgency): number {
  return urgency === "high" ? at : afterQuietHours(at, config.notify)
}

/** Sends what is due, each channel for itself: one that is slow does not hold up the others. */
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

/** Claims a notice, sends it, and writes back what became of it. */
async function sendOne(needs: NotifyingNeeds, stored: StoredNotice, signal: AbortSignal): Promise<void> {
  const { db, clock, log } = needs
  const notifier = needs.notifiers().find(({ id }) => id === stored.channel)
  const prepared = await db.write(async (transaction) => {
    const now = clock.now()
    const from = by(needs)
    if (!(await claimNotice(transaction, { id: stored.id, now }, from))) return undefined
    const notice = notifier && (await compose(transaction, needs, notifier, stored))
    if (notice === undefined) {
      const reason = notifier ? "it was decided before it was sent" : "the channel is no longer set up"
      await settleNotice(transaction, { id: stored.id, now }, { outcome: "dropped", reason }, from)
    }
    return notice
  })
  if (prepared === undefined || notifier === undefined) return
  const sent = await notifier
    .send(prepared, signal)
    .catch((error): Sent => ({ outcome: "unknown", reason: messageOf(error) }))
  const fate = fateOf(needs, stored, sent)
  if (fate.outcome !== "sent" && fate.outcome !== "dropped")
    log.warn("A notice could not be sent", { channel: stored.channel, reason: fate.reason })
  await db.write((transaction) =>
    settleNotice(transaction, { id: stored.id, now: clock.now() }, fate, by(needs)),
  )
}

function fateOf(needs: NotifyingNeeds, { attempts, urgency }: StoredNotice, sent: Sent): Fate {
  if (sent.outcome !== "failed") return sent
  const wait = waits[attempts]
  const again =
    sent.retry && wait !== undefined ? whenAllowed(needs, needs.clock.now() + wait, urgency) : null
  return { outcome: "failed", reason: sent.reason, again }
}

/** What the notice says now; undefined if nothing of it waits any more. Links are made for its reader alone. */
async function compose(
  transaction: Transaction,
  needs: NotifyingNeeds,
  notifier: Notifier,
  stored: StoredNotice,
): Promise<Notice | undefined> {
  const now = needs.clock.now()
  const asked: AskedFor[] = []
  const cycles: EndedCycle[] = []
  for (const { kind, id } of stored.about) {
    if (kind === "cycle") {
      const cycle = await findCycle(transaction, needs.install, id)
      if (cycle) cycles.push({ id, status: cycle.status, summary: cycle.summary ?? "" })
      continue
    }
    const request = await findRequest(transaction, needs.install, id)
    if (request?.state !== "pending" || request.expiresAt <= now) continue
    asked.push({ request, ...(await waysToDecide(transaction, needs, notifier, request)) })
  }
  if (asked.length + cycles.length === 0) return undefined
  const body = (notifier.isPrivate ? detailedBody : safeBody)({ asked, cycles, now })
  const { id, urgency, createdAt } = stored
  const about = stored.about.filter((one) =>
    [...asked.map(({ request }) => request), ...cycles].some((told) => told.id === one.id),
  )
  return { id, urgency, createdAt, about, ...body }
}

async function waysToDecide(
  transaction: Transaction,
  needs: NotifyingNeeds,
  { isPrivate, person, takesCodes, takesLinks }: Notifier,
  request: AskedFor["request"],
): Promise<Pick<AskedFor, "link" | "code">> {
  if (!isPrivate) return {}
  const base = needs.config.notify.link_base.replace(/\/+$/, "")
  const grant = { request, person, expiresAt: request.expiresAt }
  const token = base === "" || !takesLinks ? undefined : await issueToken(transaction, needs, grant)
  return {
    link: token === undefined ? undefined : `${base}/approve/${token}`,
    code: takesCodes ? await issueCode(transaction, needs, grant) : undefined,
  }
}
