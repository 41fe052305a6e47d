import { z } from "zod"
import { UserError } from "../../../base/errors.ts"
import type { ScreenContext } from "../../../privacy/screen.ts"
import { type By, readJournal } from "../../../storage/journal.ts"
import type { Transaction } from "../../../storage/transaction.ts"
import { isAgent, isAgentNote } from "../../model/agents/agents.ts"
import { memoryScopes, memorySources, memoryTypes } from "../../model/kinds.ts"
import { projectRoot } from "../../model/known-projects.ts"
import {
  cleanTags,
  cleanText,
  detailsSchema,
  foldersSchema,
  type Memory,
  normalizeDetails,
  shortText,
  trustOf,
} from "../../model/memory.ts"
import type { MemoryCore } from "../../model/memory-core.ts"
import { ensureProject, type ProjectIdentity, projectIdFor, rootsOf } from "../../model/project.ts"
import { cleanDeep, secretsOnly } from "../../model/screen-memory.ts"
import { requireMemory } from "../../model/store/browse.ts"
import { findEdge } from "../../model/store/graph.ts"
import { isUserAction, needsUserConfirmation, promotedKind, promotionBy } from "../compare/quarantine.ts"
import { fetchesAndRuns } from "../fetch-and-run.ts"
import { configFor, type Refused, textProblem } from "../prepare.ts"
import { screenProject } from "../screen-project.ts"
import { type ComparedText, compareEdited, settleEdited } from "./compare-edited.ts"
import {
  addedEdge,
  type ChangeResult,
  type Changes,
  changed,
  type EdgeImages,
  runOperation,
} from "./operation.ts"

/** A field that null empties. */
function clearable<T extends z.ZodType>(type: z.ZodOptional<T>) {
  return type.unwrap().nullable().optional()
}

const details = detailsSchema.shape
const clearableDetails = {
  files: clearable(details.files),
  context: clearable(details.context),
  reason: clearable(details.reason),
  steps: clearable(details.steps),
  prerequisites: clearable(details.prerequisites),
  warnings: clearable(details.warnings),
  season: clearable(details.season),
  recencyWeight: clearable(details.recencyWeight),
}
/** The details that an edit may change. */
export const detailNames = Object.keys(clearableDetails) as (keyof typeof clearableDetails)[]

/** What a caller may change of a memory; what is left out stays as it is. */
export const editSchema = z.object({
  /** The version the change was made from; if there is a newer one, it is refused. */
  version: z.int().min(1).optional(),
  content: z.string().optional(),
  type: z.enum(memoryTypes).optional(),
  scope: z.enum(memoryScopes).optional(),
  /** A folder or a name; the memory moves there. */
  project: shortText(4000).optional(),
  from: foldersSchema,
  tags: z.array(shortText(100)).max(50).optional(),
  triggers: z.array(shortText(200)).max(20).optional(),
  audience: shortText(200).nullable().optional(),
  confidence: z.number().min(0).max(1).optional(),
  /** The ids of other memories that the new text was derived from. */
  derivedFrom: z.array(shortText(100)).max(50).optional(),
  /** Who vouches for the new text. */
  source: z.enum(memorySources).optional(),
  ...clearableDetails,
})

export type Edit = z.output<typeof editSchema>

export type Edited = ChangeResult | Refused

/** Changes a memory's text and fields. An edit made from an older version than there is now is refused. */
export async function editMemory(needs: MemoryCore, id: string, edit: Edit, by: By): Promise<Edited> {
  const memory = await requireMemory(needs.db, id)
  const prepared = await prepareEdit(needs, memory, edit, by)
  if ("outcome" in prepared) return prepared
  const same = { kinds: ["memory.edited", promotedKind, "memory.superseded"], about: [memory.id] }
  return runOperation(needs, by, same, (transaction, at) => editChanges(transaction, prepared, at, by))
}

/** An edit that passed every check, with the similar memories. */
interface PreparedEdit {
  memory: Memory
  edit: Edit
  project: ProjectIdentity | undefined
  compared: ComparedText
}

/** Checks, screens and compares an edit before its transaction. */
export async function prepareEdit(
  needs: MemoryCore,
  memory: Memory,
  requested: Edit,
  by: By,
): Promise<PreparedEdit | Refused> {
  const edit = isAgent(by) ? limitAgentEdit(memory, requested) : requested
  const sourceRoots = await rootsOf(needs, [edit.from ?? []].flat())
  const checked = await checkEdit(needs, memory, edit, sourceRoots)
  if ("outcome" in checked) return checked
  const result = { content: checked.content ?? memory.content, details: detailsAfter(memory, checked, false) }
  if (!isUserAction(by) && addsFetchAndRun(memory, result)) return { outcome: "refused", reason: notByAgents }
  const project =
    edit.project === undefined
      ? undefined
      : await screenProject(needs, edit.project, needs.config, undefined, sourceRoots)
  // A new wording by the gardener means the same as before; a user or an agent states something new.
  const isRestated = isUserAction(by) || isAgent(by)
  const compared = await compareNewText(needs, memory, checked, project, isRestated)
  return { memory, edit: checked, project, compared }
}

/** The changes of an edit, made in its transaction. */
export async function editChanges(
  transaction: Transaction,
  { memory, edit, project, compared }: PreparedEdit,
  at: number,
  by: By,
): Promise<Changes> {
  const before = await requireMemory(transaction, memory.id)
  if (edit.version !== undefined && edit.version !== before.version) await refuseOld(transaction, before)
  const belonging = await scopeAfter(transaction, before, edit, project, at, by)
  const isUsers = isUserAction(by)
  const after = changed(before, at, { ...belonging, ...fieldsOf(before, edit, at, isUsers) })
  if (isSame(before, after)) return {}
  // As for a new memory with such a text: it is saved, and quarantined until the user confirms it.
  if (addsFetchAndRun(before, after) && (before.status === "active" || before.status === "quarantined"))
    return { memories: [{ kind: "memory.edited", before, after: { ...after, status: "quarantined" } }] }
  const promotion = promotionBy(by, after, at)
  const settled = await settleEdited(transaction, promotion[0]?.after ?? after, compared, at, isUsers)
  return {
    memories: [{ kind: "memory.edited", before, after }, ...promotion, ...settled.memories],
    edges: [...settled.edges, ...(await derived(transaction, after, edit.derivedFrom ?? [], at))],
  }
}

/** The missing edges to the memories that a text was derived from. */
async function derived(
  transaction: Transaction,
  { id: source }: Memory,
  from: readonly string[],
  at: number,
): Promise<EdgeImages[]> {
  const edges: EdgeImages[] = []
  for (const one of from) {
    const target = (await requireMemory(transaction, one)).id
    if (target === source || (await findEdge(transaction, { source, kind: "derived-from", target }))) continue
    edges.push(addedEdge(source, "derived-from", target, at))
  }
  return edges
}

const notByAgents = "it says to download something and run it, which only the user may put into a memory"

/** Whether an edit adds commands that download something and run it. */
function addsFetchAndRun(before: Memory, after: Pick<Memory, "content" | "details">): boolean {
  return needsUserConfirmation(after) && !needsUserConfirmation(before)
}

/**
 * Limits an edit to what agents may change: the text, type, tags and steps of agents' notes. An active global note was
 * approved by the user with its text, so agents may not change it.
 */
function limitAgentEdit(memory: Memory, edit: Edit): Edit {
  const isApproved = memory.scope === "global" && memory.status === "active"
  if (!isAgentNote(memory) || isApproved) {
    const why = isApproved ? "applies everywhere because the user approved it" : "is not an agent's note"
    const how = `only the user may change it (\`reverie memory edit ${memory.id}\`)`
    throw new UserError("refused", `Not done: ${memory.id} ${why}, and ${how}.`)
  }
  const { version, content, type, tags, steps, from } = edit
  if (fetchesAndRuns([content ?? "", ...(steps ?? [])]))
    throw new UserError(
      "refused",
      "Not done: it downloads something and runs it, which only the user may save.",
    )
  return { version, content, type, tags, steps, from }
}

/** Compares a new text with others in the scope that the memory will have. */
async function compareNewText(
  needs: MemoryCore,
  before: Memory,
  edit: Edit,
  identity: ProjectIdentity | undefined,
  isRestated: boolean,
): Promise<ComparedText> {
  if (edit.content === undefined || edit.content === before.content) return { similar: [] }
  const scope = edit.scope ?? (identity && before.scope === "global" ? "project" : before.scope)
  const project = identity ? await projectIdFor(needs.db, identity) : before.project
  const { type = before.type, audience = before.audience, content } = edit
  const after = { ...before, content, type, audience, scope, project: scope === "global" ? null : project }
  return compareEdited(needs, after, isRestated)
}

async function refuseOld(transaction: Transaction, { id }: Memory): Promise<never> {
  const query = { subject: id, kind: "memory.", limit: 1, newestFirst: true }
  const [last] = await readJournal(transaction, query)
  const who = last ? ` by ${last.actor} (${last.operation})` : ""
  const advice = `look at it with \`reverie memory show ${id}\` and edit it again.`
  throw new UserError("conflict", `${id} was changed meanwhile${who}; ${advice}`)
}

/** Checks limits and privacy. */
async function checkEdit(
  needs: MemoryCore,
  memory: Memory,
  edit: Edit,
  sourceRoots: readonly (string | null)[],
): Promise<Edit | Refused> {
  const content = edit.content === undefined ? undefined : cleanText(edit.content)
  const root = (await projectRoot(needs.db, memory.project)) || null
  const config = await configFor(needs, [root ?? undefined, edit.project, ...[edit.from ?? []].flat()])
  const moved = edit.project === undefined ? [] : await rootsOf(needs, [edit.project])
  if (content !== undefined) {
    const problem = textProblem(content, config, 1)
    if (problem !== undefined) return { outcome: "refused", reason: problem }
  }
  const context = { projectRoot: root, sourceRoots: [...moved, ...sourceRoots], policy: config.privacy }
  return screened(needs, { ...edit, content }, context, secretsOnly(context, config))
}

/** The edit with secrets removed from every text, or why it is refused. */
async function screened(
  { screen }: MemoryCore,
  edit: Edit,
  context: ScreenContext,
  inNames: ScreenContext,
): Promise<Edit | Refused> {
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
    entries.push([name, screenedFields.has(name) ? await cleanDeep(value, one) : value])
  }
  return reason === undefined ? (Object.fromEntries(entries) as Edit) : { outcome: "refused", reason }
}

/** The fields with free text. */
const screenedFields: ReadonlySet<string> = new Set([
  "audience",
  "content",
  "tags",
  "triggers",
  ...detailNames,
])

/** The scope and project after the edit. */
async function scopeAfter(
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

/** The fields after an edit. Only a user's edit confirms the memory and clears what was noted about the old text. */
function fieldsOf(before: Memory, edit: Edit, at: number, isUsers: boolean): Partial<Memory> {
  const content = edit.content ?? before.content
  const isNewText = content !== before.content
  const known: Partial<Memory> = {
    content,
    type: edit.type ?? before.type,
    tags: edit.tags ? cleanTags(edit.tags) : before.tags,
    triggers: edit.triggers ? [...new Set(edit.triggers)] : before.triggers,
    audience: edit.audience === undefined ? before.audience : edit.audience,
    confidence: edit.confidence ?? before.confidence,
    details: detailsAfter(before, edit, isNewText && isUsers),
  }
  if (!isNewText || !isUsers) return known
  const { source = before.source } = edit
  const trust = edit.source ? trustOf[edit.source] : before.trust
  return { ...known, source, trust, verifiedAt: at }
}

function detailsAfter({ details }: Memory, edit: Edit, isNewText: boolean) {
  const next: Parameters<typeof normalizeDetails>[0] = { ...details }
  // These were noted about the old text, and a text in the user's words is not an agent's note.
  if (isNewText) Object.assign(next, { compatibleWith: undefined, outdated: undefined, notedBy: undefined })
  const names = detailNames.filter((name) => edit[name] !== undefined)
  const changes = Object.fromEntries(names.map((name) => [name, edit[name] ?? undefined]))
  return normalizeDetails({ ...next, ...changes })
}

function isSame(a: Memory, b: Memory): boolean {
  const plain = (memory: Memory) => JSON.stringify({ ...memory, version: 0, updatedAt: 0 })
  return plain(a) === plain(b)
}
