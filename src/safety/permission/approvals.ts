import { UserError } from "../../base/errors.ts"
import { newId } from "../../base/random.ts"
import type { InstallCore } from "../../storage/core.ts"
import { appendEntry, type By } from "../../storage/journal.ts"
import type { Transaction } from "../../storage/transaction.ts"
import { createAttemptLimit } from "./attempt-limit.ts"
import { type DecisionWords, readDecisionWords } from "./decision-words.ts"
import type { PermissionRequest } from "./request.ts"
import { type Decision, decideRequest, findRequest } from "./requests.ts"
import { type ApprovalKey, findCode, findToken, type IssuedToken, useUp } from "./token.ts"

interface ApprovalNeeds extends InstallCore {
  key: ApprovalKey
  /** Whether the configuration still names a person who was sent a link or code. */
  mayDecide(person: string): boolean
  /** Takes secrets out of a person's words. */
  redact(text: string): Promise<string>
  /** Hears of what was decided, once that is written down. */
  onDecided?: ((request: PermissionRequest) => void) | undefined
}

/** Why a link or code is not taken, in one sentence. */
export interface Refused {
  outcome: "refused"
  why: "unknown" | "used" | "expired" | "conflict" | "too-many" | "not-asked"
  reason: string
}

/** What a link shows before anything is decided with it. */
type Looked = { outcome: "open"; request: PermissionRequest; person: string } | Refused
type Redeemed = { outcome: "decided"; request: PermissionRequest; person: string } | Refused

/** Decisions that come from outside, by links and codes. */
export interface Approvals {
  /** What a link is for. Changes nothing but that a forged one is noted. */
  look(token: string): Promise<Looked>
  /** Decides by a link. `shown` is the digest of what the person saw. */
  redeem(token: string, shown: string, decision: Decision): Promise<Redeemed>
  /** Notes that a link came with something that no page of ours sends, and gives the refusal. */
  misused(token: string, reason: string): Promise<Refused>
  /**
   * Decides by what a person answered, `approve CODE` or `deny CODE: why`; undefined if that is no decision. Whoever calls
   * has made sure that it is that person, by the platform's own word.
   */
  answer(said: { person: string; from: string; text: string }): Promise<Redeemed | undefined>
}

/** So many wrong ones a minute are looked at and noted. */
const mostWrong = 60
/** So many wrong codes a minute one person may give. */
const mostWrongCodes = 5

/** Opens the way for decisions from outside. */
export function openApprovals(needs: ApprovalNeeds): Approvals {
  const { db, clock, key } = needs
  const wrong = createAttemptLimit(clock, mostWrong)
  const wrongCodes = createAttemptLimit(clock, mostWrongCodes)
  const refuse = async (refused: Refused, about: Noted): Promise<Refused> => {
    if (!wrong.take("all")) return refused.why === "unknown" ? tooMany : refused
    await noteRefused(needs, refused, about)
    return refused
  }
  const decide = async (
    find: (transaction: Transaction) => Promise<IssuedToken | undefined>,
    shown: string | undefined,
    decision: Decision,
    from: string,
  ): Promise<{ tried: Redeemed; token: IssuedToken | undefined }> => {
    const now = clock.now()
    let token: IssuedToken | undefined
    try {
      const tried = await db.write(async (transaction): Promise<Redeemed> => {
        token = await find(transaction)
        if (token === undefined) return unknown
        const problem = problemWith(token, now)
        if (problem) return problem
        if (shown !== undefined && shown !== token.digest) return notShown
        if (!(await useUp(transaction, token.id, now))) return used
        const { request: id, digest, person } = token
        const by = actor(needs, from)
        return {
          outcome: "decided",
          request: await decideRequest(transaction, { id, digest, now }, decision, { who: person, from }, by),
          person,
        }
      })
      if (tried.outcome === "decided") needs.onDecided?.(tried.request)
      return { tried, token }
    } catch (error) {
      // The link stays unused: nothing of the transaction happened.
      if (!(error instanceof UserError)) throw error
      return { tried: { outcome: "refused", why: "conflict", reason: error.message }, token }
    }
  }
  /** Nobody who is no longer named may decide; their link is as good as none. */
  const findLink = async (on: Pick<Transaction, "read">, presented: string) => {
    const token = await findToken(on, key, presented)
    return token && needs.mayDecide(token.person) ? token : undefined
  }
  return {
    async look(presented) {
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
    async misused(presented, reason) {
      const token = await findLink(db, presented)
      const about = { from: "link", request: token?.request, person: token?.person }
      return refuse({ outcome: "refused", why: "not-asked", reason }, about)
    },
    async answer({ person, from, text }) {
      const words = readDecisionWords(text)
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

const lookThere = "look into `reverie inbox`."
const unknown: Refused = {
  outcome: "refused",
  why: "unknown",
  reason: `Nothing was decided: this is no valid link or code; ${lookThere}`,
}
const used: Refused = {
  outcome: "refused",
  why: "used",
  reason: `Nothing was decided: this was used already, and works once; ${lookThere}`,
}
const expired: Refused = {
  outcome: "refused",
  why: "expired",
  reason: `Nothing was decided: this has expired; ${lookThere}`,
}
const notShown: Refused = {
  outcome: "refused",
  why: "conflict",
  reason: "Nothing was decided: what you decided is not what was shown; open the link again.",
}
const tooMany: Refused = {
  outcome: "refused",
  why: "too-many",
  reason: "Nothing was decided: too many wrong links or codes were tried; wait a minute.",
}

function problemWith({ usedAt, expiresAt }: IssuedToken, now: number): Refused | undefined {
  if (usedAt !== null) return used
  return expiresAt <= now ? expired : undefined
}

function problemWithRequest(
  { id, state, digest, expiresAt }: PermissionRequest,
  token: IssuedToken,
  now: number,
): Refused | undefined {
  if (digest !== token.digest) return notShown
  if (state === "expired" || expiresAt <= now) return expired
  if (state === "pending") return undefined
  const reason = `Nothing was decided: ${id} is ${state} already.`
  return { outcome: "refused", why: "conflict", reason }
}

async function withoutSecrets(
  { redact }: ApprovalNeeds,
  decision: DecisionWords["decision"],
): Promise<Decision> {
  if (decision.kind === "approve" || decision.text === undefined) return decision
  return { kind: "deny", text: await redact(decision.text) }
}

function actor({ random }: ApprovalNeeds, from: string): By {
  return { operation: newId(random, "op"), actor: from }
}

interface Noted {
  from: string
  request?: string | undefined
  person?: string | undefined
  asked?: Decision["kind"] | undefined
}

/** Nothing of the link or code itself is written down. */
async function noteRefused(
  needs: ApprovalNeeds,
  { why, reason }: Refused,
  { from, request, person, asked }: Noted,
): Promise<void> {
  const by = actor(needs, from)
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
