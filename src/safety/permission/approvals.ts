import { UserError } from "../../base/errors.ts"
import type { InstallCore } from "../../storage/core.ts"
import { appendEntry, newOperation } from "../../storage/journal.ts"
import type { Transaction } from "../../storage/transaction.ts"
import { createAttemptLimit } from "./attempt-limit.ts"
import { type ParsedDecision, parseDecision } from "./decision-text.ts"
import type { PermissionRequest } from "./request.ts"
import { type Decision, decideRequest, findRequest } from "./requests.ts"
import { type ApprovalKey, consumeToken, findCode, findToken, type IssuedToken } from "./token.ts"

interface ApprovalNeeds extends InstallCore {
  key: ApprovalKey
  /** Whether the configuration still names this recipient of a link or code. */
  mayDecide(person: string): boolean
  /** Removes secrets from a person's text. */
  redact(text: string): Promise<string>
  /** Called after a decision is saved. */
  onDecided?: ((request: PermissionRequest) => void) | undefined
}

/** Why a link or code is refused. */
export interface Refusal {
  outcome: "refused"
  why: "unknown" | "used" | "expired" | "conflict" | "too-many" | "not-asked"
  reason: string
}

/** The content of a link, before a decision. */
type LinkState = { outcome: "open"; request: PermissionRequest; person: string } | Refusal
type RedeemResult = { outcome: "decided"; request: PermissionRequest; person: string } | Refusal

/** Decisions by links and codes. */
export interface Approvals {
  /** Reads the request of a link. Changes nothing, except that a forged link is recorded. */
  inspect(token: string): Promise<LinkState>
  /** Decides by a link. `shown` is the digest of the request that the person saw. */
  redeem(token: string, shown: string, decision: Decision): Promise<RedeemResult>
  /** Records that a link came with input that our page never sends, and refuses it. */
  reportMisuse(token: string, reason: string): Promise<Refusal>
  /**
   * Decides by a person's message, `approve CODE` or `deny CODE: why`; undefined for any other text. The caller has
   * verified the person through the platform.
   */
  answer(message: { person: string; from: string; text: string }): Promise<RedeemResult | undefined>
}

/** At most this many wrong links and codes per minute are recorded. */
const mostWrong = 60
/** At most this many wrong codes per minute and person. */
const mostWrongCodes = 5

/** Opens decisions by links and codes. */
export function openApprovals(needs: ApprovalNeeds): Approvals {
  const { db, clock, key } = needs
  const wrong = createAttemptLimit(clock, mostWrong)
  const wrongCodes = createAttemptLimit(clock, mostWrongCodes)
  const refuse = async (refused: Refusal, about: RefusalContext): Promise<Refusal> => {
    if (!wrong.take("all")) return refused.why === "unknown" ? tooMany : refused
    await recordRefusal(needs, refused, about)
    return refused
  }
  const decide = async (
    find: (transaction: Transaction) => Promise<IssuedToken | undefined>,
    shown: string | undefined,
    decision: Decision,
    from: string,
  ): Promise<{ tried: RedeemResult; token: IssuedToken | undefined }> => {
    const now = clock.now()
    let token: IssuedToken | undefined
    try {
      const tried = await db.write(async (transaction): Promise<RedeemResult> => {
        token = await find(transaction)
        if (token === undefined) return unknown
        const problem = problemWith(token, now)
        if (problem) return problem
        if (shown !== undefined && shown !== token.digest) return notShown
        if (!(await consumeToken(transaction, token.id, now))) return used
        const { request: id, digest, person } = token
        const by = newOperation(needs, from)
        return {
          outcome: "decided",
          request: await decideRequest(transaction, { id, digest, now }, decision, { who: person, from }, by),
          person,
        }
      })
      if (tried.outcome === "decided") needs.onDecided?.(tried.request)
      return { tried, token }
    } catch (error) {
      // The transaction was rolled back, so the link is still unused.
      if (!(error instanceof UserError)) throw error
      return { tried: { outcome: "refused", why: "conflict", reason: error.message }, token }
    }
  }
  /** A link counts as unknown once the configuration no longer names its recipient. */
  const findLink = async (on: Pick<Transaction, "read">, presented: string) => {
    const token = await findToken(on, key, presented)
    return token && needs.mayDecide(token.person) ? token : undefined
  }
  return {
    async inspect(presented) {
      const token = await findLink(db, presented)
      if (token === undefined) return refuse(unknown, { from: "link" })
      const request = await findRequest(db, needs.install, token.request)
      if (request === undefined) return unknown
      const now = clock.now()
      const problem = problemWith(token, now) ?? problemWithRequest(request, token, now)
      return problem ?? { outcome: "open", request, person: token.person }
    },
    async redeem(presented, shown, decision) {
      const { tried, token } = await decide((on) => findLink(on, presented), shown, decision, "link")
      if (tried.outcome === "decided") return tried
      return refuse(tried, {
        from: "link",
        request: token?.request,
        person: token?.person,
        asked: decision.kind,
      })
    },
    async reportMisuse(presented, reason) {
      const token = await findLink(db, presented)
      const about = { from: "link", request: token?.request, person: token?.person }
      return refuse({ outcome: "refused", why: "not-asked", reason }, about)
    },
    async answer({ person, from, text }) {
      const words = parseDecision(text)
      if (words === undefined) return undefined
      if (!wrongCodes.allows(person)) return tooMany
      const { code } = words
      const decision = await withoutSecrets(needs, words.decision)
      const find = async (on: Transaction) =>
        needs.mayDecide(person) ? findCode(on, key, { person, code }) : undefined
      const { tried, token } = await decide(find, undefined, decision, from)
      if (tried.outcome === "decided") return tried
      wrongCodes.take(person)
      return refuse(tried, { from, request: token?.request, person, asked: decision.kind })
    },
  }
}

function refusal(why: Refusal["why"], reason: string): Refusal {
  return { outcome: "refused", why, reason: `Nothing was decided: ${reason}` }
}

const seeInbox = "see `reverie inbox`."
const unknown = refusal("unknown", `this is not a valid link or code; ${seeInbox}`)
const used = refusal("used", `this was already used, and works only once; ${seeInbox}`)
const expired = refusal("expired", `this has expired; ${seeInbox}`)
const notShown = refusal("conflict", "the request is not the one you were shown; open the link again.")
const tooMany = refusal("too-many", "too many wrong links or codes were tried; wait a minute.")

function problemWith({ usedAt, expiresAt }: IssuedToken, now: number): Refusal | undefined {
  if (usedAt !== null) return used
  return expiresAt <= now ? expired : undefined
}

function problemWithRequest(
  { id, state, digest, expiresAt }: PermissionRequest,
  token: IssuedToken,
  now: number,
): Refusal | undefined {
  if (digest !== token.digest) return notShown
  if (state === "expired" || expiresAt <= now) return expired
  if (state === "pending") return undefined
  return refusal("conflict", `${id} is already ${state}.`)
}

async function withoutSecrets(
  { redact }: ApprovalNeeds,
  decision: ParsedDecision["decision"],
): Promise<Decision> {
  if (decision.kind === "approve" || decision.text === undefined) return decision
  return { kind: "deny", text: await redact(decision.text) }
}

interface RefusalContext {
  from: string
  request?: string | undefined
  person?: string | undefined
  asked?: Decision["kind"] | undefined
}

/** Records a refusal, without the link or code itself. */
async function recordRefusal(
  needs: ApprovalNeeds,
  { why, reason }: Refusal,
  { from, request, person, asked }: RefusalContext,
): Promise<void> {
  const by = newOperation(needs, from)
  const data = { why, reason, from, person: person ?? null, asked: asked ?? null }
  await needs.db.write((transaction) =>
    appendEntry(transaction, {
      ...by,
      at: needs.clock.now(),
      kind: "approval.refused",
      subject: request ?? null,
      data,
    }),
  )
}
