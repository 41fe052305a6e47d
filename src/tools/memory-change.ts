import { z } from "zod"
import { UserError } from "../base/errors.ts"
import { lostDetail, rewordingProblem } from "../language/rewording.ts"
import { contentAfter, mergeDuplicates } from "../memory/garden/merge-and-link.ts"
import { countInactive, type LossBudget, lossesLeft } from "../memory/model/agents/losses.ts"
import { type MemoryType, memoryTypes } from "../memory/model/kinds.ts"
import { projectRoot } from "../memory/model/known-projects.ts"
import { type Memory, newMemorySchema } from "../memory/model/memory.ts"
import type { MemoryCore } from "../memory/model/memory-core.ts"
import { isSameScope } from "../memory/model/scope.ts"
import { requireMemory } from "../memory/model/store/browse.ts"
import { comparableText } from "../memory/model/words/comparable-text.ts"
import { resolveConflict } from "../memory/write/change/conflicts.ts"
import { editMemory } from "../memory/write/change/edit.ts"
import { archive } from "../memory/write/change/forget-restore.ts"
import { linkMemories } from "../memory/write/change/link.ts"
import type { ChangeResult } from "../memory/write/change/operation.ts"
import { tagMemories } from "../memory/write/change/tag.ts"
import { similarTo } from "../memory/write/compare/similar-memories.ts"
import { remember } from "../memory/write/remember.ts"
import { defineTool, type Tool, type ToolOutcome, toolError } from "../safety/tool.ts"
import type { By } from "../storage/journal.ts"
import { type MemoryReadContext, requireShown } from "./memory-read.ts"

/** The memory, for the tools that change it. */
export interface MemoryToolContext
  extends MemoryReadContext,
    Pick<MemoryCore, "random" | "screen" | "projects"> {
  install: string
  /** A new operation of the cycle for each call. */
  by(): By
  losses: LossBudget
  onChange(name: string, changed: ChangeResult): Promise<void>
}

const id = z.string().min(4)

/** Tools that change memories. Every change can be undone; the loss limit is shared with the garden. */
export function memoryChangeTools(needs: MemoryToolContext): Tool[] {
  return [...pairTools(needs), ...singleTools(needs), ...addingTools(needs)]
}

function pairTools(needs: MemoryToolContext): Tool[] {
  return [
    defineTool({
      name: "memory_merge",
      description:
        "Decide that two memories say the same in other words: `keep` stays and becomes stronger, `drop` is put aside and points to it.",
      input: z.object({ keep: id, drop: id }),
      tier: "auto",
      async run({ keep, drop }) {
        const pair = { keep: await requireShown(needs, keep), drop: await requireShown(needs, drop) }
        const obstacle = cannotReplace(pair) ?? cannotMerge(needs, pair)
        if (obstacle) return toolError(obstacle)
        const settings = { ...needs, longestText: needs.config.memory.longest_text }
        return withinLossLimit(needs, "merged", () => mergeDuplicates(settings, [pair], needs.by()))
      },
    }),
    defineTool({
      name: "memory_replace",
      description:
        "Decide that one memory is the newer truth about what another says: `keep` stays, `drop` is put aside and points to it. Never for two that may both be true.",
      input: z.object({ keep: id, drop: id, reason: z.string().min(3).max(500) }),
      tier: "auto",
      async run({ keep, drop }) {
        const obstacle = cannotReplace({
          keep: await requireShown(needs, keep),
          drop: await requireShown(needs, drop),
        })
        if (obstacle) return toolError(obstacle)
        const link = { source: keep, kind: "supersedes", target: drop } as const
        return withinLossLimit(needs, "replaced", () => linkMemories(needs, link, needs.by()))
      },
    }),
    defineTool({
      name: "memory_keep_both",
      description: "Decide that two memories which were held against each other may both be true.",
      input: z.object({ first: id, second: id }),
      tier: "auto",
      async run({ first, second }) {
        for (const one of [first, second]) {
          const { source } = await requireShown(needs, one)
          if (source === "user-corrected")
            return toolError(
              "Not done: the person corrected one of them themselves; only they decide about it.",
            )
        }
        const kept = { id: first, other: second, keep: "both" } as const
        return report(needs, "kept both", await resolveConflict(needs, kept, needs.by()))
      },
    }),
    defineTool({
      name: "memory_link",
      description: "Link two memories that belong together.",
      input: z.object({ first: id, second: id, weight: z.number().min(0).max(1).default(0.5) }),
      tier: "auto",
      async run({ first, second, weight }) {
        for (const one of [first, second]) await requireShown(needs, one)
        const link = { source: first, kind: "relates-to", target: second, weight } as const
        return report(needs, "linked", await linkMemories(needs, link, needs.by()))
      },
    }),
  ]
}

function singleTools(needs: MemoryToolContext): Tool[] {
  return [
    defineTool({
      name: "memory_reword",
      description:
        "Give a memory a clearer text that says the same: with all its telling words and no new ones. Not for what the person said themselves.",
      input: z.object({
        id,
        text: z.string().min(3).max(2000),
        from: z.array(id).max(20).default([]).describe("other memories that the text was drawn from"),
      }),
      tier: "auto",
      async run({ id, text, from }) {
        const obstacle = cannotReword(await requireShown(needs, id), text)
        if (obstacle) return toolError(obstacle)
        for (const one of from) await requireShown(needs, one)
        const edit = { content: text, derivedFrom: from }
        return withinLossLimit(needs, "reworded", () => reword(needs, id, edit), 1)
      },
    }),
    defineTool({
      name: "memory_tag",
      description: "Add tags to a memory, or take some away.",
      input: z.object({
        id,
        add: z.array(z.string().min(1).max(60)).max(10).default([]),
        remove: z.array(z.string().min(1).max(60)).max(10).default([]),
      }),
      tier: "auto",
      async run({ id, add, remove }) {
        await requireShown(needs, id)
        return report(needs, "tagged", await tagMemories(needs, { ids: [id], add, remove }, needs.by()))
      },
    }),
    defineTool({
      name: "memory_archive",
      description: "Put a memory aside that is no longer true or of no use to anybody.",
      input: z.object({ id, reason: z.string().min(3).max(500) }),
      tier: "auto",
      async run({ id }) {
        const { source } = await requireShown(needs, id)
        if (source === "user-corrected")
          return toolError("Not done: the person corrected this themselves; only they put it aside.")
        return withinLossLimit(needs, "archived", () => archive(needs, [id], needs.by()))
      },
    }),
  ]
}

/** Tools that add memories. They are quarantined until a person or a second source confirms them. */
function addingTools(needs: MemoryToolContext): Tool[] {
  return [
    defineTool({
      name: "memory_conclude",
      description:
        "Keep one sentence that follows from several memories together and that none of them says.",
      input: z.object({
        text: z.string().min(3).max(2000),
        type: z.enum(memoryTypes).default("fact"),
        from: z.array(id).min(2).max(20).describe("the memories it follows from"),
      }),
      tier: "auto",
      async run({ text, type, from }) {
        const all = await Promise.all(from.map((one) => requireShown(needs, one)))
        return conclude(needs, { text, type, from: all })
      },
    }),
    defineTool({
      name: "memory_remember",
      description:
        "Keep one sentence that you found out yourself, such as how a repository is built. It waits until a person or a second source bears it out.",
      input: z.object({
        text: z.string().min(3).max(2000),
        type: z.enum(memoryTypes).default("fact"),
        project: z
          .string()
          .min(4)
          .optional()
          .describe("the id of the project it is about; leave it out if none"),
        tags: z.array(z.string().min(1).max(60)).max(10).default([]),
      }),
      tier: "auto",
      async run({ text, type, project, tags }) {
        if (project !== undefined && needs.excluded.has(project))
          return toolError("Not done: that project excludes models.")
        return saveNew(needs, { text, type, project: project ?? null, tags, source: "observed" })
      },
    }),
  ]
}

/** Reports a change to the cycle. */
async function report(needs: MemoryToolContext, name: string, changed: ChangeResult): Promise<string> {
  await needs.onChange(name, changed)
  return `Done (${changed.operation}).`
}

/** Runs a change that hides or rewords memories, unless the loss limit is reached. */
async function withinLossLimit(
  needs: MemoryToolContext,
  name: string,
  act: () => Promise<ChangeResult>,
  least = 0,
): Promise<ToolOutcome | string> {
  const { losses } = needs
  if (lossesLeft(losses) === 0)
    return toolError(
      `Not done: this cycle has already put aside or reworded ${losses.lost} memories, which is the limit.`,
    )
  const changed = await act()
  losses.lost += Math.max(least, countInactive(changed.memories))
  return report(needs, name, changed)
}

/** Saves a conclusion from memories of one scope. It is inferred, and gets the lowest of their confidences. */
async function conclude(
  needs: MemoryToolContext,
  { text, type, from }: { text: string; type: MemoryType; from: readonly Memory[] },
): Promise<ToolOutcome | string> {
  const [first] = from
  if (first === undefined || from.some((one) => !isSameScope(one, first)))
    return toolError("Not done: they belong to different projects or scopes.")
  const confidence = Math.min(...from.map((one) => one.confidence))
  const derivedFrom = from.map((one) => one.id)
  return saveNew(needs, { text, type, project: first.project, source: "inferred", confidence, derivedFrom })
}

interface NewMemory {
  text: string
  type: MemoryType
  project: string | null
  source: "inferred" | "observed"
  tags?: string[]
  confidence?: number
  derivedFrom?: string[]
}

async function saveNew(
  needs: MemoryToolContext,
  { text, project, ...rest }: NewMemory,
): Promise<ToolOutcome | string> {
  const root = await projectRoot(needs.db, project)
  if (project !== null && !root) return toolError("Not done: that project is not on this machine.")
  const memory = newMemorySchema.parse({
    content: text,
    ...rest,
    ...(root === undefined ? {} : { project: root }),
  })
  const by = needs.by()
  const remembered = await remember(needs, { ...memory, quarantined: true }, by)
  if (remembered.outcome === "refused") return toolError(remembered.reason)
  const memories = [await requireMemory(needs.db, remembered.id)]
  await needs.onChange(rest.source === "inferred" ? "concluded" : "remembered", {
    operation: by.operation,
    memories,
    edges: [],
  })
  return `Done (${by.operation}): ${remembered.outcome} as ${remembered.id}.`
}

interface Pair {
  keep: Memory
  drop: Memory
}

/** A user's statement is never replaced by a less trusted memory. */
function cannotReplace({ keep, drop }: Pair): string | undefined {
  if (keep.status !== "active") return `Not done: ${keep.id} is not active itself.`
  const isLaterCorrection = keep.source === "user-corrected" && keep.createdAt > drop.createdAt
  if (drop.source === "user-corrected" && !isLaterCorrection)
    return `Not done: the person corrected ${drop.id} themselves; only a later correction replaces it.`
  if (keep.trust < drop.trust) return `Not done: ${drop.id} is from a better source than ${keep.id}.`
  return undefined
}

/** Contradicting memories are never merged, whatever the model decides. */
function cannotMerge({ config }: MemoryToolContext, { keep, drop }: Pair): string | undefined {
  const { relation } = similarTo(keep, comparableText(keep.content), comparableText(drop.content), undefined)
  if (relation.kind === "contradicts" || !isSameScope(keep, drop))
    return "Not done: they say opposite things, or belong to different projects; two such are never merged."
  const lost = lostDetail(drop.content, contentAfter(keep, drop, config.memory.longest_text))
  return lost === undefined ? undefined : `Not done: ${keep.id} does not say all: ${lost} would be lost.`
}

/** A user's own words are never reworded. Anything else may only become clearer. */
function cannotReword({ id, source, status, content, details }: Memory, text: string): string | undefined {
  if (status !== "active") return `Not done: ${id} is ${status}.`
  if (source === "user-corrected" || source === "user-stated")
    return "Not done: the person said this themselves; only they may reword it."
  const problem = rewordingProblem(content, text, details.context)
  return problem === undefined ? undefined : `Not done: ${problem}. A new wording says no more and no less.`
}

async function reword(
  needs: MemoryToolContext,
  id: string,
  edit: { content: string; derivedFrom: string[] },
): Promise<ChangeResult> {
  const edited = await editMemory(needs, id, edit, needs.by())
  if ("operation" in edited) return edited
  throw new UserError("refused", `Not done: ${edited.reason}.`)
}
