import { z } from "zod"
import { UserError } from "../../../base/errors.ts"
import type { ScreenContext } from "../../../privacy/screen.ts"
import { type By, readJournal } from "../../../storage/journal.ts"
import type { Transaction } from "../../../storage/transaction.ts"
import { isAgent, isAgentsNote } from "../../model/agents/agents.ts"
import { memoryScopes, memorySources, memoryTypes } from "../../model/kinds.ts"
import { rootOf } from "../../model/known-projects.ts"
import {
  cleanTags,
  cleanText,
  detailsGiven,
  label,
  type Memory,
  saidFrom,
  tidyDetails,
  trustOf,
} from "../../model/memory.ts"
import type { MemoryCore } from "../../model/memory-core.ts"
import { ensureProject, likelyProjectId, type ProjectIdentity, rootsOf } from "../../model/project.ts"
import { eachText, nameContext } from "../../model/screen-memory.ts"
import { requireMemory } from "../../model/store/browse.ts"
import { findEdge } from "../../model/store/graph.ts"
import { isPersonsAct, promotedKind, promotionBy, waitsForPerson } from "../compare/quarantine.ts"
import { fetchesAndRuns } from "../fetch-and-run.ts"
import { configFor, textProblem } from "../prepare.ts"
import { screenProject } from "../screen-project.ts"
import { type ComparedText, compareEdited, settleEdited } from "./compare-edited.ts"
import { act, type Changed, type Changes, changed, type EdgeImages } from "./operation.ts"

/** A field that null empties. */
function clearable<T extends z.ZodType>(type: z.ZodOptional<T>) {
  return type.unwrap().nullable().optional()
}

const given = detailsGiven.shape

/** What a caller may change of a memory; what is left out stays as it is. */
export const editSchema = z.object({
  /** The version the change was made from; if there is a newer one, it is refused. */
  version: z.int().min(1).optional(),
  content: z.string().optional(),
  type: z.enum(memoryTypes).optional(),
  scope: z.enum(memoryScopes).optional(),
  /** A folder or a name; the memory moves there. */
  project: label(4000).optional(),
  from: saidFrom,
  tags: z.array(label(100)).max(50).optional(),
  triggers: z.array(label(200)).max(20).optional(),
  audience: label(200).nullable().optional(),
  confidence: z.number().min(0).max(1).optional(),
  /** The ids of other memories that the new text was drawn from. */
  derivedFrom: z.array(label(100)).max(50).optional(),
  /** Who vouches for the new text. */
  source: z.enum(memorySources).optional(),
  files: clearable(given.files),
  context: clearable(given.context),
  reason: clearable(given.reason),
  steps: clearable(given.steps),
  prerequisites: clearable(given.prerequisites),
  warnings: clearable(given.warnings),
  season: clearable(given.season),
  recencyWeight: clearable(given.recencyWeight),
})

export type Edit = z.output<typeof editSchema>

/** What became of an edit. */
export type Edited = Changed | { outcome: "refused"; reason: string }

/** Changes a memory's text and fields. An edit made from an older version than there is now is refused. */
export async function editMemory(needs: MemoryCore, id: string, given: Edit, by: By): Promise<Edited> {
  const memory = await requireMemory(needs.db, id)
  const prepared = await prepareEdit(needs, memory, given, by)
  if ("outcome" in prepared) return prepared
  const same = { kinds: ["memory.edited", promotedKind, "memory.superseded"], about: [memory.id] }
  return act(needs, by, same, (transaction, at) => editChanges(transaction, prepared, at, by))
}

/** An edit that may be made, with what it has to do with. */
interface PreparedEdit {
  memory: Memory
  edit: Edit
  project: ProjectIdentity | undefined
  compared: ComparedText
}

/** Everything slow or refusing about an edit, before its transaction. */
export async function prepareEdit(
  needs: MemoryCore,
  memory: Memory,
  given: Edit,
  by: By,
): Promise<PreparedEdit | { outcome: "refused"; reason: string }> {
  const edit = isAgent(by) ? agentsEdit(memory, given) : given
  const saidIn = await rootsOf(needs, [edit.from ?? []].flat())
  const checked = await checkEdit(needs, memory, edit, saidIn)
  if ("outcome" in checked) return checked
  const meant = { content: checked.content ?? memory.content, details: detailsAfter(memory, checked, false) }
  if (!isPersonsAct(by) && bringsIn(memory, meant)) return { outcome: "refused", reason: notByAgents }
  const project =
    edit.project === undefined
      ? undefined
      : await screenProject(needs, edit.project, needs.config, undefined, saidIn)
  // A new wording by the gardener says no more and no less than before; anything else is said anew.
  const isSaidAnew = isPersonsAct(by) || isAgent(by)
  const compared = await compareNewText(needs, memory, checked, project, isSaidAnew)
  return { memory, edit: checked, project, compared }
}

/** What an edit changes, in its transaction. */
export async function editChanges(
  transaction: Transaction,
  { memory, edit, project, compared }: PreparedEdit,
  at: number,
  by: By,
): Promise<Changes> {
  const before = await requireMemory(transaction, memory.id)
  if (edit.version !== undefined && edit.version !== before.version) await refuseOld(transaction, before)
  const belonging = await belongingOf(transaction, before, edit, project, at, by)
  const isPersons = isPersonsAct(by)
  const after = changed(before, at, { ...belonging, ...fieldsOf(before, edit, at, isPersons) })
  if (isSame(before, after)) return {}
  // As where a person adds such a text: it is saved, and waits until they confirm what is there now.
  if (bringsIn(before, after) && (before.status === "active" || before.status === "quarantined"))
    return { memories: [{ kind: "memory.edited", before, after: { ...after, status: "quarantined" } }] }
  const promotion = promotionBy(by, after, at)
  const settled = await settleEdited(transaction, promotion[0]?.after ?? after, compared, at, isPersons)
  return {
    memories: [{ kind: "memory.edited", before, after }, ...promotion, ...settled.memories],
    edges: [...settled.edges, ...(await derived(transaction, after, edit.derivedFrom ?? [], at))],
  }
}

/** The links to what a text was drawn from, as far as they are not there. */
async function derived(
  transaction: Transaction,
  { id: source }: Memory,
  from: readonly string[],
  at: number,
): Promise<EdgeImages[]> {
  const edges: EdgeImages[] = []
  for (const one of from) {
    const edge = { source, kind: "derived-from" as const, target: (await requireMemory(transaction, one)).id }
    if (edge.target === source || (await findEdge(transaction, edge))) continue
    edges.push({ before: null, after: { ...edge, weight: 1, createdAt: at } })
  }
  return edges
}

const notByAgents = "it tells to fetch something and run it, and only a person puts that into a memory"

/** Whether what waits for a person comes into a memory that had nothing of the kind. */
function bringsIn(before: Memory, after: Pick<Memory, "content" | "details">): boolean {
  return waitsForPerson(after) && !waitsForPerson(before)
}

/**
 * What an agent may change: agents' notes only, and neither where they hold, who sees them nor how far they are believed.
 * What holds everywhere does so by the person's word for that text.
 */
function agentsEdit(memory: Memory, edit: Edit): Edit {
  const isLetHold = memory.scope === "global" && memory.status === "active"
  if (!isAgentsNote(memory) || isLetHold) {
    const why = isLetHold ? "holds everywhere by the person's word" : "is no agent's note"
    const how = `only the person changes it (\`reverie memory edit ${memory.id}\`)`
    throw new UserError("refused", `Not done: ${memory.id} ${why}, and ${how}.`)
  }
  const { version, content, type, tags, steps, from } = edit
  if (fetchesAndRuns([content ?? "", ...(steps ?? [])]))
    throw new UserError("refused", "Not done: it fetches something and runs it, which only the person notes.")
  return { version, content, type, tags, steps, from }
}

/** A new text beside others, where the memory will be; what only moves is not compared. */
async function compareNewText(
  needs: MemoryCore,
  before: Memory,
  edit: Edit,
  identity: ProjectIdentity | undefined,
  isSaidAnew: boolean,
): Promise<ComparedText> {
  if (edit.content === undefined || edit.content === before.content) return { similar: [] }
  const scope = edit.scope ?? (identity && before.scope === "global" ? "project" : before.scope)
  const project = identity ? await likelyProjectId(needs.db, identity) : before.project
  const { type = before.type, audience = before.audience, content } = edit
  const after = { ...before, content, type, audience, scope, project: scope === "global" ? null : project }
  return compareEdited(needs, after, isSaidAnew)
}

async function refuseOld(transaction: Transaction, { id }: Memory): Promise<never> {
  const query = { subject: id, kind: "memory.", limit: 1, newestFirst: true }
  const [last] = await readJournal(transaction, query)
  const who = last ? ` by ${last.actor} (${last.operation})` : ""
  const advice = `look at it with \`reverie memory show ${id}\` and edit it again.`
  throw new UserError("conflict", `${id} was changed meanwhile${who}; ${advice}`)
}

/** Everything slow or refusing, before the transaction: limits and privacy. */
async function checkEdit(
  needs: MemoryCore,
  memory: Memory,
  edit: Edit,
  saidIn: readonly (string | null)[],
): Promise<Edit | { outcome: "refused"; reason: string }> {
  const content = edit.content === undefined ? undefined : cleanText(edit.content)
  const root = (await rootOf(needs.db, memory.project)) || null
  const config = await configFor(needs, [root ?? undefined, edit.project, ...[edit.from ?? []].flat()])
  const moved = edit.project === undefined ? [] : await rootsOf(needs, [edit.project])
  if (content !== undefined) {
    const problem = textProblem(content, config, 1)
    if (problem !== undefined) return { outcome: "refused", reason: problem }
  }
  const context = { projectRoot: root, saidIn: [...moved, ...saidIn], policy: config.privacy }
  return screened(needs, { ...edit, content }, context, nameContext(context, config))
}

/** The edit with every text in it as privacy allows it. */
async function screened(
  { screen }: MemoryCore,
  edit: Edit,
  context: ScreenContext,
  inNames: ScreenContext,
): Promise<Edit | { outcome: "refused"; reason: string }> {
  let reason: string | undefined
  const cleanIn = (where: ScreenContext) => async (text: string) => {
    const result = await screen.check(text, where)
    if (result.outcome !== "refused") return result.text
    reason ??= result.reason
    return ""
  }
  const clean = cleanIn(context)
  const cleanName = cleanIn(inNames)
  const cleanFile = (file: string) => cleanIn({ ...inNames, files: [file] })(file)
  const entries: [string, unknown][] = []
  for (const [name, value] of Object.entries(edit)) {
    const one = name === "files" ? cleanFile : name === "audience" ? cleanName : clean
    entries.push([name, screenedFields.has(name) ? await eachText(value, one) : value])
  }
  return reason === undefined ? (Object.fromEntries(entries) as Edit) : { outcome: "refused", reason }
}

const detailNames = [
  "files",
  "context",
  "reason",
  "steps",
  "prerequisites",
  "warnings",
  "season",
  "recencyWeight",
] as const

/** The fields that hold a person's words or names. */
const screenedFields: ReadonlySet<string> = new Set([
  "audience",
  "content",
  "tags",
  "triggers",
  ...detailNames,
])

/** Where the memory holds after the edit. */
async function belongingOf(
  transaction: Transaction,
  before: Memory,
  edit: Edit,
  identity: ProjectIdentity | undefined,
  at: number,
  by: By,
): Promise<Pick<Memory, "scope" | "project">> {
  const scope = edit.scope ?? (identity && before.scope === "global" ? "project" : before.scope)
  if (scope === "session" && before.sessionId === null) {
    throw new UserError("usage", `${before.id} comes from no session and cannot be of session scope.`)
  }
  if (scope === "global") {
    if (identity === undefined) return { scope, project: null }
    throw new UserError("usage", "A global memory belongs to no project; leave out --scope or --project.")
  }
  const project = identity ? await ensureProject(transaction, identity, at, by) : before.project
  if (scope === "project" && project === null) {
    throw new UserError("usage", "A memory of project scope needs its project; give --project DIR.")
  }
  return { scope, project }
}

/** What an edit makes of a memory; only a person's edit confirms it, and settles what was said of the old text. */
function fieldsOf(before: Memory, edit: Edit, at: number, isPersons: boolean): Partial<Memory> {
  const content = edit.content ?? before.content
  const isNewText = content !== before.content
  const known: Partial<Memory> = {
    content,
    type: edit.type ?? before.type,
    tags: edit.tags ? cleanTags(edit.tags) : before.tags,
    triggers: edit.triggers ? [...new Set(edit.triggers)] : before.triggers,
    audience: edit.audience === undefined ? before.audience : edit.audience,
    confidence: edit.confidence ?? before.confidence,
    details: detailsAfter(before, edit, isNewText && isPersons),
  }
  if (!isNewText || !isPersons) return known
  const { source = before.source } = edit
  const trust = edit.source ? trustOf[edit.source] : before.trust
  return { ...known, source, trust, verifiedAt: at }
}

function detailsAfter({ details }: Memory, edit: Edit, isNewText: boolean) {
  const next: Parameters<typeof tidyDetails>[0] = { ...details }
  // Whoever said that two texts can stand beside each other, or that it no longer holds, said so of the old text.
  if (isNewText) next.compatibleWith = undefined
  if (isNewText) next.outdated = undefined
  // Nor is it an agent's note any more, once the person has put it into their own words.
  if (isNewText) next.notedBy = undefined
  const told = detailNames.filter((name) => edit[name] !== undefined)
  const changes = Object.fromEntries(told.map((name) => [name, edit[name] ?? undefined]))
  return tidyDetails({ ...next, ...changes })
}

function isSame(a: Memory, b: Memory): boolean {
  const plain = (memory: Memory) => JSON.stringify({ ...memory, version: 0, updatedAt: 0 })
  return plain(a) === plain(b)
}
