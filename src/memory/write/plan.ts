import { newTimedId } from "../../base/random.ts"
import { dot } from "../../base/vector.ts"
import type { Embedded } from "../../embedding/embedder.ts"
import { kindName } from "../../privacy/kind-names.ts"
import type { By } from "../../storage/journal.ts"
import { agentTrust, isAgentsNote, isPersons } from "../model/agents/agents.ts"
import { detailsOf, type Memory, tidyDetails, trustOf } from "../model/memory.ts"
import { isSameScope } from "../model/scope.ts"
import type { MemoryChange } from "../model/store/change.ts"
import type { EdgeChange, EdgeKind } from "../model/store/graph.ts"
import { partKind } from "../model/store/parts-of-text.ts"
import { sharedWords, type Wording, wordingOf } from "../model/words/wording.ts"
import { type Decision, decide, type Suspect, type Thresholds } from "./compare/decide.ts"
import { type JudgedPairs, judgePairs } from "./compare/judge-pairs.ts"
import { isBorneOut, promoted, promotedKind } from "./compare/quarantine.ts"
import { reinforced } from "./compare/reinforce.ts"
import {
  findKinOfMany,
  findSimilarTo,
  type Newcomer,
  type SimilarMemory,
  similarTo,
} from "./compare/similar-memories.ts"
import type { ReadyMemory, RememberNeeds } from "./prepare.ts"

/** What became of a text that was written. */
export interface Written {
  /** `updated`: the memory that this sourceId has says this now. `unchanged`: it said so already. */
  outcome: "saved" | "reinforced" | "superseded" | "conflict" | "updated" | "unchanged"
  id: string
  /** The memories that a text became which was too long for one, in order; the first is `id`. */
  parts?: string[]
  /** What opposes what, or what was taken out of it, in one sentence. */
  reason?: string
  /** The memories it replaces, is replaced by, or conflicts with. */
  related?: string[]
  /** The memories it may replace, as the trained model sees it; both are kept until somebody decides. */
  mayReplace?: string[]
  /** The version of the trained model that had a part in this. */
  judge?: string
}

/** Everything that writing some memories will change, and what must still be true when it does. */
export interface Plan {
  changes: MemoryChange[]
  edges: EdgeChange[]
  written: Written[]
  /** New memories with their vectors. */
  newcomers: { memory: Memory; embedded: Embedded | undefined; isVerbatim: boolean }[]
  /** The versions of the known memories that were looked at. */
  seen: Map<string, number>
}

interface PlanInput {
  ready: readonly ReadyMemory[]
  embedded: readonly (Embedded | undefined)[]
  /** The id of each one's project. */
  projectIds: readonly (string | null)[]
  by: By
}

/** Decides for each memory in order what becomes of it; the ones before it in the batch count as known. */
export async function planWrites(needs: RememberNeeds, input: PlanInput): Promise<Plan> {
  const planner = new Planner(needs, input.by)
  const incoming = input.ready.map((ready, index) =>
    planner.incoming(ready, input.projectIds[index] ?? null, input.embedded[index]),
  )
  const similar = await knownSimilar(needs, incoming)
  if (incoming.length <= fewAtOnce) {
    const compared = incoming.flatMap((one, index) => {
      const known = similar[index]
      return known ? [{ ...one, similar: [...known, ...planner.saidBefore(incoming, index)] }] : []
    })
    planner.judged = await judgePairs(needs, compared)
  }
  for (const [index, one] of incoming.entries()) planner.add(one, similar[index])
  return planner.plan
}

/** A memory on its way in. */
interface Incoming extends Newcomer {
  ready: ReadyMemory
  embedded: Embedded | undefined
}

/** What is known already that each may have to do with; undefined for what is not compared. */
async function knownSimilar(
  { embedder, db }: RememberNeeds,
  incoming: readonly Incoming[],
): Promise<(SimilarMemory[] | undefined)[]> {
  const model = embedder && {
    name: embedder.model,
    related: embedder.similarity.related,
    asked: embedder.judge?.card.thresholds.compared,
  }
  const compared = incoming.filter(({ ready }) => !ready.given.verbatim)
  const similar =
    incoming.length <= fewAtOnce
      ? await Promise.all(compared.map((one) => findSimilarTo({ db, model }, one)))
      : await findKinOfMany({ db, model }, compared)
  const found = new Map(compared.map((one, index) => [one, similar[index]]))
  return incoming.map((one) => found.get(one))
}

/** Of so many at once each is compared as thoroughly as a single one; imports bring more, which the garden goes over. */
const fewAtOnce = 30

/** Without an embedder nothing is known about likeness, so nothing is linked by it. */
const withoutEmbedder: Thresholds = { duplicate: 1, linked: 1 }

class Planner {
  readonly plan: Plan = { changes: [], edges: [], written: [], newcomers: [], seen: new Map() }
  readonly #needs: RememberNeeds
  readonly #by: By
  readonly #at: number
  readonly #thresholds: Thresholds
  /** Known memories as this batch leaves them. */
  readonly #changed = new Map<string, Memory>()
  readonly #fresh: Fresh[] = []
  /** What the trained model said of those that may have to do with each other. */
  judged: JudgedPairs | undefined
  /** The ids of what comes in. */
  readonly #ids = new Map<ReadyMemory, string>()

  constructor(needs: RememberNeeds, by: By) {
    this.#needs = needs
    this.#by = by
    this.#at = needs.clock.now()
    const likeness = needs.embedder?.similarity
    this.#thresholds = likeness
      ? { duplicate: likeness.duplicate, linked: (likeness.duplicate + likeness.related) / 2 }
      : withoutEmbedder
  }

  incoming(ready: ReadyMemory, project: string | null, embedded: Embedded | undefined): Incoming {
    const memory = newMemory(this.#needs, ready, project, this.#at)
    this.#ids.set(ready, memory.id)
    return { ready, embedded, memory, vector: embedded?.vector }
  }

  add(incoming: Incoming, known: readonly SimilarMemory[] | undefined): void {
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
    const told = { ...written, ...toldAlso(written.reason, ready), ...this.#judgedBy(judged, decision) }
    const waits = isAgentsNote(memory) && this.#changed.get(written.id)?.status === "quarantined"
    this.plan.written.push(
      waits ? { ...told, reason: sentences(told.reason, toldWaiting(written.id)) } : told,
    )
  }

  /** Those before one in its batch that it may have to do with; what was said at one moment takes nothing of itself back. */
  saidBefore(incoming: readonly Incoming[], index: number): SimilarMemory[] {
    const one = incoming[index]
    if (one === undefined || index === 0) return []
    const before = incoming
      .slice(0, index)
      .filter(({ memory, ready }) => !ready.given.verbatim && memory.createdAt !== one.memory.createdAt)
    return this.#similarAmong(
      before.map(({ memory, vector }) => freshOf(memory, vector)),
      one,
    )
  }

  /** The similar memories as this batch leaves them so far, and what is new in the batch. */
  #similarNow(newcomer: Newcomer, known: readonly SimilarMemory[]): SimilarMemory[] {
    for (const { memory } of known) this.plan.seen.set(memory.id, memory.version)
    const now = known.flatMap((one) => {
      const changed = this.#changed.get(one.memory.id)
      return changed === undefined ? [one] : isStanding(changed) ? [{ ...one, memory: changed }] : []
    })
    return [...now, ...this.#similarAmong(this.#fresh, newcomer)]
  }

  #similarAmong(fresh: readonly Fresh[], { memory, vector }: Newcomer): SimilarMemory[] {
    if (fresh.length === 0) return []
    const text = wordingOf(memory.content)
    return fresh.flatMap((other) => {
      const known = this.#changed.get(other.id) ?? other.memory
      if (!isStanding(known) || !isSameScope(known, memory)) return []
      const similarity = vector && other.vector ? dot(vector, other.vector) : undefined
      const isNear =
        text.key === other.wording.key ||
        (similarity === undefined
          ? sharedWords(text.terms, other.wording.terms) >= 0.4
          : similarity >= (this.#needs.embedder?.similarity.related ?? 1))
      return isNear ? [similarTo(known, other.wording, text, similarity)] : []
    })
  }

  /** The version of the trained model, where what it said changed what became of a memory. */
  #judgedBy(similar: readonly SimilarMemory[], decision: Decision): { judge?: string } {
    if (this.judged === undefined || !isJudged(similar, decision)) return {}
    return { judge: this.judged.version }
  }

  #change(kind: MemoryChange["kind"], before: Memory | null, after: Memory): void {
    this.plan.changes.push({ kind, before, after, at: this.#at, by: this.#by })
    this.#changed.set(after.id, after)
  }

  #link(source: string, kind: EdgeKind, target: string, weight: number): void {
    const after = { source, kind, target, weight, createdAt: this.#at }
    const judge = kind === "may-replace" ? this.judged?.version : undefined
    this.plan.edges.push({ before: null, after, at: this.#at, by: this.#by, judge })
  }

  #reinforce(decision: Extract<Decision, { kind: "reinforce" }>, memory: Memory): Written {
    const { known, supersedes, reason } = decision
    const again = reinforced(known, memory, this.#at)
    if (isBorneOut(known, memory)) this.#change(promotedKind, known, promoted(again))
    else this.#change("memory.reinforced", known, again)
    if (supersedes.length === 0) return { outcome: "reinforced", id: known.id }
    this.#replace(known.id, supersedes)
    const told = { outcome: "reinforced" as const, id: known.id, related: supersedes.map(({ id }) => id) }
    return reason === undefined ? told : { ...told, reason }
  }

  #replace(id: string, replaced: readonly Memory[]): void {
    for (const old of replaced) {
      this.#change("memory.superseded", old, supersededMemory(old, id, this.#at))
      this.#link(id, "supersedes", old.id, 1)
    }
  }

  #save(
    memory: Memory,
    decision: Extract<Decision, { kind: "save" }>,
    embedded: Embedded | undefined,
    { given, derivedFrom }: ReadyMemory,
  ): Written {
    const { supersededBy, conflicts, related, suspects, reason } = decision
    const waits = mustWait(memory, decision)
    const supersedes = waits ? [] : decision.supersedes
    const saved: Memory = supersededBy
      ? { ...memory, status: "superseded", supersededBy: supersededBy.id }
      : { ...memory, status: waits ? "quarantined" : memory.status }
    this.#change("memory.saved", null, saved)
    this.plan.newcomers.push({ memory: saved, embedded, isVerbatim: given.verbatim })
    this.#fresh.push(freshOf(saved, embedded?.vector))
    if (!supersededBy) this.#replace(saved.id, supersedes)
    if (supersededBy) this.#link(supersededBy.id, "supersedes", saved.id, 1)
    else for (const other of conflicts) this.#link(saved.id, "contradicts", other.id, 1)
    const mayReplace = supersededBy ? [] : this.#suspect(saved, suspects)
    for (const id of derivedFrom) this.#link(saved.id, "derived-from", id, 1)
    for (const { memory: other, weight } of related) this.#link(saved.id, "relates-to", other.id, weight)
    return {
      ...outcomeOf(saved.id, { ...decision, supersedes }),
      ...(mayReplace.length === 0 ? {} : { mayReplace }),
      ...(reason === undefined ? {} : { reason }),
    }
  }

  /** Leaves open whether the newer replaces the older; tells the ids of the older ones. */
  #suspect(saved: Memory, suspects: readonly Suspect[]): string[] {
    for (const { memory: other, isNewer, weight } of suspects) {
      const [newer, older] = isNewer ? [other, saved] : [saved, other]
      this.#link(newer.id, "may-replace", older.id, weight)
    }
    return suspects.flatMap(({ memory: { id }, isNewer }) => (isNewer ? [] : [id]))
  }
}

/** Whether something else would have been decided without what the trained model said. */
function isJudged(similar: readonly SimilarMemory[], decision: Decision): boolean {
  const relationTo = (memory: Memory) => similar.find((one) => one.memory.id === memory.id)
  if (decision.kind === "reinforce") return relationTo(decision.known)?.relation.kind === "differs"
  const settled = [...decision.supersedes, ...(decision.supersededBy ? [decision.supersededBy] : [])]
  return decision.suspects.length > 0 || settled.some((memory) => relationTo(memory)?.judged !== undefined)
}

function outcomeOf(id: string, decision: Extract<Decision, { kind: "save" }>): Written {
  const { supersedes, supersededBy, conflicts } = decision
  if (supersededBy) return { outcome: "superseded", id, related: [supersededBy.id] }
  const opposed = [...supersedes, ...conflicts].map((one) => one.id)
  if (conflicts.length > 0) return { outcome: "conflict", id, related: opposed }
  return supersedes.length > 0 ? { outcome: "superseded", id, related: opposed } : { outcome: "saved", id }
}

function sentences(reason: string | undefined, more: string): string {
  return reason === undefined ? more : `${reason} ${more}`
}

/** What an agent noted against the person's own word waits for the person to decide. */
function mustWait(memory: Memory, { conflicts, supersededBy }: Extract<Decision, { kind: "save" }>): boolean {
  return isAgentsNote(memory) && supersededBy === undefined && conflicts.some(isPersons)
}

function toldWaiting(id: string): string {
  return `It waits for the person's word and nothing finds it until then: \`reverie memory restore ${id}\`.`
}

/** What was done to it before it was written, in a sentence each. */
function toldAlso(reason: string | undefined, { removed, waits }: ReadyMemory): { reason?: string } {
  const told = [
    ...(reason === undefined ? [] : [reason]),
    ...(removed.length === 0
      ? []
      : [`What may not be kept was taken out of it (${removed.map(kindName).join(", ")}).`]),
    ...(waits === undefined ? [] : [waits]),
  ]
  return told.length === 0 ? {} : { reason: told.join(" ") }
}

/** A memory of this batch, ready to be compared with the next ones. */
interface Fresh {
  id: string
  memory: Memory
  vector: Float32Array | undefined
  wording: Wording
}

function freshOf(memory: Memory, vector: Float32Array | undefined): Fresh {
  const { id, content } = memory
  return { id, memory, vector, wording: wordingOf(content) }
}

/** Makes a memory of what was given. */
export function newMemory(
  needs: RememberNeeds,
  ready: ReadyMemory,
  project: string | null,
  at: number,
): Memory {
  const { given } = ready
  return {
    id: newTimedId(needs.random, at, "m"),
    version: 1,
    content: ready.content,
    type: given.type,
    scope: given.scope ?? (project === null ? "global" : "project"),
    project,
    tags: ready.tags,
    status: given.quarantined ? "quarantined" : "active",
    supersededBy: null,
    source: given.source,
    sourceId: given.sourceId ?? null,
    sessionId: given.sessionId ?? null,
    messageIndex: given.messageIndex ?? null,
    createdAt: given.createdAt ?? at,
    updatedAt: at,
    accessedAt: null,
    verifiedAt: null,
    accessCount: 0,
    strength: 1,
    confidence: given.confidence,
    trust: given.notedBy === "agent" ? Math.min(agentTrust, trustOf[given.source]) : trustOf[given.source],
    audience: given.audience ?? null,
    triggers: triggersOf(given),
    details: partDetails(ready),
  }
}

function partDetails({ given, part }: ReadyMemory): Memory["details"] {
  const details = detailsOf(given)
  return part ? tidyDetails({ ...details, part: { number: part.number, of: part.of } }) : details
}

/** What brings it up: its own words, and the season it matters in, however that is written. */
function triggersOf({ triggers, season }: ReadyMemory["given"]): string[] {
  const seasons = season === undefined ? [] : [season, season.replaceAll(/[-_]+/g, " ")]
  return [...new Set([...triggers, ...seasons])]
}

/** Whether new memories are compared with it. */
function isStanding({ status }: Memory): boolean {
  return status === "active" || status === "quarantined"
}

/** A memory that another one replaces. */
function supersededMemory(old: Memory, by: string, at: number): Memory {
  return { ...old, version: old.version + 1, status: "superseded", supersededBy: by, updatedAt: at }
}
