import { newTimedId } from "../../base/random.ts"
import { dot } from "../../base/vector.ts"
import type { Embedded } from "../../embedding/embedder.ts"
import { kindName } from "../../privacy/kind-names.ts"
import type { By } from "../../storage/journal.ts"
import { agentTrust, isAgentNote, isFromUser } from "../model/agents/agents.ts"
import { detailsOf, type Memory, normalizeDetails, trustOf } from "../model/memory.ts"
import { isSameScope } from "../model/scope.ts"
import type { MemoryChange } from "../model/store/change.ts"
import type { EdgeChange, EdgeKind } from "../model/store/graph.ts"
import { partKind } from "../model/store/parts-of-text.ts"
import { type ComparableText, comparableText, wordOverlap } from "../model/words/comparable-text.ts"
import { superseded } from "./change/link.ts"
import { addedEdge } from "./change/operation.ts"
import { type Decision, decide, type PossibleUpdate, type Thresholds } from "./compare/decide.ts"
import { type JudgedPairs, judgePairs } from "./compare/judge-pairs.ts"
import { isConfirmedBy, promoted, promotedKind } from "./compare/quarantine.ts"
import { reinforced } from "./compare/reinforce.ts"
import {
  comparisonModel,
  findSimilarTo,
  findSimilarToMany,
  type NewMemory,
  type SimilarMemory,
  similarTo,
} from "./compare/similar-memories.ts"
import type { MemoryWriteCore, ReadyMemory } from "./prepare.ts"

/** The outcome of a text that was written. */
export interface Written {
  /** `updated`: the memory with this sourceId got this text. `unchanged`: it had it already. */
  outcome: "saved" | "reinforced" | "superseded" | "conflict" | "updated" | "unchanged"
  id: string
  /** The memories of a text that was too long for one, in order; the first is `id`. */
  parts?: string[]
  /** What it contradicts, what was removed from it, or why it waits. */
  reason?: string
  /** The memories it replaces, is replaced by, or conflicts with. */
  related?: string[]
  /** The memories that it may replace according to the trained model; both stay until somebody decides. */
  mayReplace?: string[]
  /** The version of the trained model, if it influenced the outcome. */
  judge?: string
}

/** Everything that a write will change, and the versions that it was planned from. */
export interface Plan {
  changes: MemoryChange[]
  edges: EdgeChange[]
  written: Written[]
  /** New memories with their vectors. */
  created: { memory: Memory; embedded: Embedded | undefined; isVerbatim: boolean }[]
  /** The versions of the stored memories that were compared. */
  seen: Map<string, number>
}

interface PlanInput {
  ready: readonly ReadyMemory[]
  embedded: readonly (Embedded | undefined)[]
  /** The project id of each memory. */
  projectIds: readonly (string | null)[]
  by: By
}

/** Plans the memories in order; earlier ones of the batch count as known. */
export async function planWrites(needs: MemoryWriteCore, input: PlanInput): Promise<Plan> {
  const planner = new Planner(needs, input.by)
  const incoming = input.ready.map((ready, index) =>
    planner.incoming(ready, input.projectIds[index] ?? null, input.embedded[index]),
  )
  const similar = await knownSimilar(needs, incoming)
  if (incoming.length <= fullComparisonLimit) {
    const compared = incoming.flatMap((one, index) => {
      const known = similar[index]
      return known ? [{ ...one, similar: [...known, ...planner.earlierInBatch(incoming, index)] }] : []
    })
    planner.judged = await judgePairs(needs, compared)
  }
  for (const [index, one] of incoming.entries()) planner.add(one, similar[index])
  return planner.plan
}

interface IncomingMemory extends NewMemory {
  ready: ReadyMemory
  embedded: Embedded | undefined
}

/** The stored memories similar to each; undefined for those that are not compared. */
async function knownSimilar(
  { embedder, db }: MemoryWriteCore,
  incoming: readonly IncomingMemory[],
): Promise<(SimilarMemory[] | undefined)[]> {
  const model = comparisonModel(embedder)
  const compared = incoming.filter(({ ready }) => !ready.input.verbatim)
  const similar =
    incoming.length <= fullComparisonLimit
      ? await Promise.all(compared.map((one) => findSimilarTo({ db, model }, one)))
      : await findSimilarToMany({ db, model }, compared)
  const found = new Map(compared.map((one, index) => [one, similar[index]]))
  return incoming.map((one) => found.get(one))
}

/** At most this many at once are compared as thoroughly as a single one; the garden compares larger imports later. */
const fullComparisonLimit = 30

/** Without an embedder no similarity is known, so nothing is linked by it. */
const withoutEmbedder: Thresholds = { duplicate: 1, linked: 1 }

class Planner {
  readonly plan: Plan = { changes: [], edges: [], written: [], created: [], seen: new Map() }
  readonly #needs: MemoryWriteCore
  readonly #by: By
  readonly #at: number
  readonly #thresholds: Thresholds
  /** Stored memories after the changes of this batch. */
  readonly #changed = new Map<string, Memory>()
  readonly #batch: BatchMemory[] = []
  /** The trained model's answers about pairs. */
  judged: JudgedPairs | undefined
  readonly #ids = new Map<ReadyMemory, string>()

  constructor(needs: MemoryWriteCore, by: By) {
    this.#needs = needs
    this.#by = by
    this.#at = needs.clock.now()
    const likeness = needs.embedder?.similarity
    this.#thresholds = likeness
      ? { duplicate: likeness.duplicate, linked: (likeness.duplicate + likeness.related) / 2 }
      : withoutEmbedder
  }

  incoming(ready: ReadyMemory, project: string | null, embedded: Embedded | undefined): IncomingMemory {
    const memory = newMemory(this.#needs, ready, project, this.#at)
    this.#ids.set(ready, memory.id)
    return { ready, embedded, memory, vector: embedded?.vector }
  }

  add(incoming: IncomingMemory, known: readonly SimilarMemory[] | undefined): void {
    const { ready, memory, embedded } = incoming
    const similar = known === undefined ? [] : this.#similarNow(incoming, known)
    const judged = similar.map((one) => ({ ...one, judged: this.judged?.of(memory, one.memory) }))
    const decision = decide(memory, judged, { ...this.#thresholds, judged: this.judged?.thresholds })
    const written =
      decision.kind === "reinforce"
        ? this.#reinforce(decision, memory)
        : this.#save(memory, decision, embedded, ready)
    const first = ready.part?.first && this.#ids.get(ready.part.first)
    if (first !== undefined) this.#link(memory.id, partKind, first, 1)
    const isWaiting = isAgentNote(memory) && this.#changed.get(written.id)?.status === "quarantined"
    const sentences = [
      written.reason,
      ready.removed.length === 0 ? undefined : removalNotice(ready.removed),
      ready.waitReason,
      isWaiting ? waitingNotice(written.id) : undefined,
    ]
    const reason = sentences.filter((sentence) => sentence !== undefined).join(" ")
    const model = this.#judgedBy(judged, decision)
    this.plan.written.push({ ...written, ...(reason === "" ? {} : { reason }), ...model })
  }

  /** Similar memories earlier in the batch; those of the same moment do not replace each other. */
  earlierInBatch(incoming: readonly IncomingMemory[], index: number): SimilarMemory[] {
    const one = incoming[index]
    if (one === undefined || index === 0) return []
    const before = incoming
      .slice(0, index)
      .filter(({ memory, ready }) => !ready.input.verbatim && memory.createdAt !== one.memory.createdAt)
    return this.#similarAmong(
      before.map(({ memory, vector }) => batchMemory(memory, vector)),
      one,
    )
  }

  /** The similar memories after the changes so far, and those that are new in the batch. */
  #similarNow(incoming: NewMemory, known: readonly SimilarMemory[]): SimilarMemory[] {
    for (const { memory } of known) this.plan.seen.set(memory.id, memory.version)
    const now = known.flatMap((one) => {
      const changed = this.#changed.get(one.memory.id)
      return changed === undefined ? [one] : isCurrent(changed) ? [{ ...one, memory: changed }] : []
    })
    return [...now, ...this.#similarAmong(this.#batch, incoming)]
  }

  #similarAmong(batch: readonly BatchMemory[], { memory, vector }: NewMemory): SimilarMemory[] {
    if (batch.length === 0) return []
    const text = comparableText(memory.content)
    return batch.flatMap((other) => {
      const known = this.#changed.get(other.id) ?? other.memory
      if (!isCurrent(known) || !isSameScope(known, memory)) return []
      const similarity = vector && other.vector ? dot(vector, other.vector) : undefined
      const isNear =
        text.key === other.wording.key ||
        (similarity === undefined
          ? wordOverlap(text.terms, other.wording.terms) >= 0.4
          : similarity >= (this.#needs.embedder?.similarity.related ?? 1))
      return isNear ? [similarTo(known, other.wording, text, similarity)] : []
    })
  }

  /** The version of the trained model, if its answer changed the outcome. */
  #judgedBy(similar: readonly SimilarMemory[], decision: Decision): { judge?: string } {
    if (this.judged === undefined || !isJudged(similar, decision)) return {}
    return { judge: this.judged.version }
  }

  #change(kind: MemoryChange["kind"], before: Memory | null, after: Memory): void {
    this.plan.changes.push({ kind, before, after, at: this.#at, by: this.#by })
    this.#changed.set(after.id, after)
  }

  #link(source: string, kind: EdgeKind, target: string, weight: number): void {
    const judge = kind === "may-replace" ? this.judged?.version : undefined
    const edge = addedEdge(source, kind, target, this.#at, weight)
    this.plan.edges.push({ ...edge, at: this.#at, by: this.#by, judge })
  }

  #reinforce(decision: Extract<Decision, { kind: "reinforce" }>, memory: Memory): Written {
    const { known, supersedes, reason } = decision
    const again = reinforced(known, memory, this.#at)
    if (isConfirmedBy(known, memory)) this.#change(promotedKind, known, promoted(again))
    else this.#change("memory.reinforced", known, again)
    if (supersedes.length === 0) return { outcome: "reinforced", id: known.id }
    this.#replace(known.id, supersedes)
    const related = supersedes.map(({ id }) => id)
    return { outcome: "reinforced", id: known.id, related, ...(reason === undefined ? {} : { reason }) }
  }

  #replace(id: string, replaced: readonly Memory[]): void {
    for (const old of replaced) {
      const { kind, before, after } = superseded(id, old, this.#at)
      this.#change(kind, before, after)
      this.#link(id, "supersedes", old.id, 1)
    }
  }

  #save(
    memory: Memory,
    decision: Extract<Decision, { kind: "save" }>,
    embedded: Embedded | undefined,
    { input, derivedFrom }: ReadyMemory,
  ): Written {
    const { supersededBy, conflicts, related, possibleUpdates, reason } = decision
    const waits = mustWait(memory, decision)
    const supersedes = waits ? [] : decision.supersedes
    const saved: Memory = supersededBy
      ? { ...memory, status: "superseded", supersededBy: supersededBy.id }
      : { ...memory, status: waits ? "quarantined" : memory.status }
    this.#change("memory.saved", null, saved)
    this.plan.created.push({ memory: saved, embedded, isVerbatim: input.verbatim })
    this.#batch.push(batchMemory(saved, embedded?.vector))
    if (!supersededBy) this.#replace(saved.id, supersedes)
    if (supersededBy) this.#link(supersededBy.id, "supersedes", saved.id, 1)
    else for (const other of conflicts) this.#link(saved.id, "contradicts", other.id, 1)
    const mayReplace = supersededBy ? [] : this.#linkPossibleUpdates(saved, possibleUpdates)
    for (const id of derivedFrom) this.#link(saved.id, "derived-from", id, 1)
    for (const { memory: other, weight } of related) this.#link(saved.id, "relates-to", other.id, weight)
    return {
      ...outcomeOf(saved.id, { ...decision, supersedes }),
      ...(mayReplace.length === 0 ? {} : { mayReplace }),
      ...(reason === undefined ? {} : { reason }),
    }
  }

  /** Links what may replace what; returns the ids of the older memories. */
  #linkPossibleUpdates(saved: Memory, possibleUpdates: readonly PossibleUpdate[]): string[] {
    for (const { memory: other, isNewer, weight } of possibleUpdates) {
      const [newer, older] = isNewer ? [other, saved] : [saved, other]
      this.#link(newer.id, "may-replace", older.id, weight)
    }
    return possibleUpdates.flatMap(({ memory: { id }, isNewer }) => (isNewer ? [] : [id]))
  }
}

/** Whether the decision would differ without the trained model. */
function isJudged(similar: readonly SimilarMemory[], decision: Decision): boolean {
  const relationTo = (memory: Memory) => similar.find((one) => one.memory.id === memory.id)
  if (decision.kind === "reinforce") return relationTo(decision.known)?.relation.kind === "differs"
  const settled = [...decision.supersedes, ...(decision.supersededBy ? [decision.supersededBy] : [])]
  return (
    decision.possibleUpdates.length > 0 || settled.some((memory) => relationTo(memory)?.judged !== undefined)
  )
}

function outcomeOf(id: string, decision: Extract<Decision, { kind: "save" }>): Written {
  const { supersedes, supersededBy, conflicts } = decision
  if (supersededBy) return { outcome: "superseded", id, related: [supersededBy.id] }
  const opposed = [...supersedes, ...conflicts].map((one) => one.id)
  if (conflicts.length > 0) return { outcome: "conflict", id, related: opposed }
  return supersedes.length > 0 ? { outcome: "superseded", id, related: opposed } : { outcome: "saved", id }
}

/** An agent's note that contradicts the user waits for the user's decision. */
function mustWait(memory: Memory, { conflicts, supersededBy }: Extract<Decision, { kind: "save" }>): boolean {
  return isAgentNote(memory) && supersededBy === undefined && conflicts.some(isFromUser)
}

function waitingNotice(id: string): string {
  return `Search does not find it until the user confirms it: \`reverie memory restore ${id}\`.`
}

function removalNotice(kinds: readonly string[]): string {
  return `Privacy rules removed parts of it (${kinds.map(kindName).join(", ")}).`
}

/** A memory of this batch, to be compared with the next ones. */
interface BatchMemory {
  id: string
  memory: Memory
  vector: Float32Array | undefined
  wording: ComparableText
}

function batchMemory(memory: Memory, vector: Float32Array | undefined): BatchMemory {
  const { id, content } = memory
  return { id, memory, vector, wording: comparableText(content) }
}

/** Creates a memory from checked input. */
export function newMemory(
  needs: MemoryWriteCore,
  ready: ReadyMemory,
  project: string | null,
  at: number,
): Memory {
  const { input } = ready
  return {
    id: newTimedId(needs.random, at, "m"),
    version: 1,
    content: ready.content,
    type: input.type,
    scope: input.scope ?? (project === null ? "global" : "project"),
    project,
    tags: ready.tags,
    status: input.quarantined ? "quarantined" : "active",
    supersededBy: null,
    source: input.source,
    sourceId: input.sourceId ?? null,
    sessionId: input.sessionId ?? null,
    messageIndex: input.messageIndex ?? null,
    createdAt: input.createdAt ?? at,
    updatedAt: at,
    accessedAt: null,
    verifiedAt: null,
    accessCount: 0,
    strength: 1,
    confidence: input.confidence,
    trust: input.notedBy === "agent" ? Math.min(agentTrust, trustOf[input.source]) : trustOf[input.source],
    audience: input.audience ?? null,
    triggers: triggersOf(input),
    details: partDetails(ready),
  }
}

function partDetails({ input, part }: ReadyMemory): Memory["details"] {
  const details = detailsOf(input)
  return part ? normalizeDetails({ ...details, part: { number: part.number, of: part.of } }) : details
}

/** Its triggers and its season, in both spellings. */
function triggersOf({ triggers, season }: ReadyMemory["input"]): string[] {
  const seasons = season === undefined ? [] : [season, season.replaceAll(/[-_]+/g, " ")]
  return [...new Set([...triggers, ...seasons])]
}

function isCurrent({ status }: Memory): boolean {
  return status === "active" || status === "quarantined"
}
