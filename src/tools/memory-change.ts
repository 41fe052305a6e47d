import { z } from "zod"
import { UserError } from "../base/errors.ts"
import { lostThing, rewordingProblem } from "../language/rewording.ts"
import { contentAfter, mergeDuplicates } from "../memory/garden/settle.ts"
import { countGone, type Losses, lossesLeft } from "../memory/model/agents/losses.ts"
import { type MemoryType, memoryTypes } from "../memory/model/kinds.ts"
import { rootOf } from "../memory/model/known-projects.ts"
import { type Memory, newMemorySchema } from "../memory/model/memory.ts"
import type { MemoryCore } from "../memory/model/memory-core.ts"
import { isSameScope } from "../memory/model/scope.ts"
import { requireMemory } from "../memory/model/store/browse.ts"
import { wordingOf } from "../memory/model/words/wording.ts"
import { resolveConflict } from "../memory/write/change/conflicts.ts"
import { editMemory } from "../memory/write/change/edit.ts"
import { archive } from "../memory/write/change/forget-restore.ts"
import { linkMemories } from "../memory/write/change/link.ts"
import type { Changed } from "../memory/write/change/operation.ts"
import { tagMemories } from "../memory/write/change/tag.ts"
import { similarTo } from "../memory/write/compare/similar-memories.ts"
import { remember } from "../memory/write/remember.ts"
import { defineTool, type Tool, type ToolOutcome, wrong } from "../safety/tool.ts"
import type { By } from "../storage/journal.ts"
import { type MemoryView, requireShown } from "./memory-read.ts"

/** The memory, as the tools that change it see it. */
export interface MemoryDesk extends MemoryView, Pick<MemoryCore, "random" | "screen" | "projects"> {
  install: string
  /** A new operation of the cycle at each call. */
  by(): By
  losses: Losses
  onDeed(name: string, changed: Changed): Promise<void>
}

const id = z.string().min(4)

/** Changing memories. Everything can be taken back; how much may go is counted together with the garden. */
export function memoryChangeTools(desk: MemoryDesk): Tool[] {
  return [...pairTools(desk), ...singleTools(desk), ...addingTools(desk)]
}

/** Deciding about two memories. */
function pairTools(desk: MemoryDesk): Tool[] {
  return [
    defineTool({
      name: "memory_merge",
      description:
        "Decide that two memories say the same in other words: `keep` stays and becomes stronger, `drop` is put aside and points to it.",
      input: z.object({ keep: id, drop: id }),
      tier: "auto",
      async run({ keep, drop }) {
        const pair = { keep: await requireShown(desk, keep), drop: await requireShown(desk, drop) }
        const obstacle = cannotReplace(pair) ?? cannotMerge(desk, pair)
        if (obstacle) return wrong(obstacle)
        const needs = { ...desk, longestText: desk.config.memory.longest_text }
        return losing(desk, "merged", () => mergeDuplicates(needs, [pair], desk.by()))
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
          keep: await requireShown(desk, keep),
          drop: await requireShown(desk, drop),
        })
        if (obstacle) return wrong(obstacle)
        const link = { source: keep, kind: "supersedes", target: drop } as const
        return losing(desk, "replaced", () => linkMemories(desk, link, desk.by()))
      },
    }),
    defineTool({
      name: "memory_keep_both",
      description: "Decide that two memories which were held against each other may both be true.",
      input: z.object({ first: id, second: id }),
      tier: "auto",
      async run({ first, second }) {
        for (const one of [first, second]) {
          const { source } = await requireShown(desk, one)
          if (source === "user-corrected")
            return wrong("Not done: the person corrected one of them themselves; only they decide about it.")
        }
        const kept = { id: first, other: second, keep: "both" } as const
        return done(desk, "kept both", await resolveConflict(desk, kept, desk.by()))
      },
    }),
    defineTool({
      name: "memory_link",
      description: "Link two memories that belong together.",
      input: z.object({ first: id, second: id, weight: z.number().min(0).max(1).default(0.5) }),
      tier: "auto",
      async run({ first, second, weight }) {
        for (const one of [first, second]) await requireShown(desk, one)
        const link = { source: first, kind: "relates-to", target: second, weight } as const
        return done(desk, "linked", await linkMemories(desk, link, desk.by()))
      },
    }),
  ]
}

/** Changing one memory. */
function singleTools(desk: MemoryDesk): Tool[] {
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
        const obstacle = cannotReword(await requireShown(desk, id), text)
        if (obstacle) return wrong(obstacle)
        for (const one of from) await requireShown(desk, one)
        const edit = { content: text, derivedFrom: from }
        return losing(desk, "reworded", () => reword(desk, id, edit), 1)
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
        await requireShown(desk, id)
        return done(desk, "tagged", await tagMemories(desk, { ids: [id], add, remove }, desk.by()))
      },
    }),
    defineTool({
      name: "memory_archive",
      description: "Put a memory aside that is no longer true or of no use to anybody.",
      input: z.object({ id, reason: z.string().min(3).max(500) }),
      tier: "auto",
      async run({ id }) {
        const { source } = await requireShown(desk, id)
        if (source === "user-corrected")
          return wrong("Not done: the person corrected this themselves; only they put it aside.")
        return losing(desk, "archived", () => archive(desk, [id], desk.by()))
      },
    }),
  ]
}

/** Keeping something new. What nobody said waits until a person or a second source bears it out. */
function addingTools(desk: MemoryDesk): Tool[] {
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
        const all = await Promise.all(from.map((one) => requireShown(desk, one)))
        return conclude(desk, { text, type, from: all })
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
        if (project !== undefined && desk.excluded.has(project))
          return wrong("Not done: that project keeps you out.")
        return keep(desk, { text, type, project: project ?? null, tags, source: "observed" })
      },
    }),
  ]
}

/** Tells the cycle what was done. */
async function done(desk: MemoryDesk, name: string, changed: Changed): Promise<string> {
  await desk.onDeed(name, changed)
  return `Done (${changed.operation}).`
}

/** Runs something that takes memories out of sight, unless too many went already. */
async function losing(
  desk: MemoryDesk,
  name: string,
  act: () => Promise<Changed>,
  least = 0,
): Promise<ToolOutcome | string> {
  const { losses } = desk
  if (lossesLeft(losses) === 0)
    return wrong(
      `Not done: this cycle has put aside or reworded ${losses.lost} memories already, and no more may go.`,
    )
  const changed = await act()
  losses.lost += Math.max(least, countGone(changed.memories))
  return done(desk, name, changed)
}

/** Remembers what follows from memories of one project; it is supposed by us, and holds where they hold. */
async function conclude(
  desk: MemoryDesk,
  { text, type, from }: { text: string; type: MemoryType; from: readonly Memory[] },
): Promise<ToolOutcome | string> {
  const [first] = from
  if (first === undefined || from.some((one) => !isSameScope(one, first)))
    return wrong("Not done: they belong to different projects or scopes.")
  const confidence = Math.min(...from.map((one) => one.confidence))
  const derivedFrom = from.map((one) => one.id)
  return keep(desk, { text, type, project: first.project, source: "inferred", confidence, derivedFrom })
}

interface Kept {
  text: string
  type: MemoryType
  project: string | null
  source: "inferred" | "observed"
  tags?: string[]
  confidence?: number
  derivedFrom?: string[]
}

async function keep(desk: MemoryDesk, { text, project, ...rest }: Kept): Promise<ToolOutcome | string> {
  const root = await rootOf(desk.db, project)
  if (project !== null && !root) return wrong("Not done: that project is not on this machine.")
  const given = newMemorySchema.parse({
    content: text,
    ...rest,
    ...(root === undefined ? {} : { project: root }),
  })
  const by = desk.by()
  const remembered = await remember(desk, { ...given, quarantined: true }, by)
  if (remembered.outcome === "refused") return wrong(remembered.reason)
  const memories = [await requireMemory(desk.db, remembered.id)]
  await desk.onDeed(rest.source === "inferred" ? "concluded" : "remembered", {
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

/** What the person said weighs more than what was concluded: the lesser cannot replace it. */
function cannotReplace({ keep, drop }: Pair): string | undefined {
  if (keep.status !== "active") return `Not done: ${keep.id} is not active itself.`
  const isLaterCorrection = keep.source === "user-corrected" && keep.createdAt > drop.createdAt
  if (drop.source === "user-corrected" && !isLaterCorrection)
    return `Not done: the person corrected ${drop.id} themselves; only a later correction replaces it.`
  if (keep.trust < drop.trust) return `Not done: ${drop.id} is from a better source than ${keep.id}.`
  return undefined
}

/** Opposites are never merged, whatever a model thinks of them. */
function cannotMerge({ config }: MemoryDesk, { keep, drop }: Pair): string | undefined {
  const { relation } = similarTo(keep, wordingOf(keep.content), wordingOf(drop.content), undefined)
  if (relation.kind === "contradicts" || !isSameScope(keep, drop))
    return "Not done: they say opposite things, or belong to different projects; two such are never merged."
  const lost = lostThing(drop.content, contentAfter(keep, drop, config.memory.longest_text))
  return lost === undefined ? undefined : `Not done: ${keep.id} does not say all: ${lost} would be lost.`
}

/** What the person said stays in their words; anything else may only be said more clearly. */
function cannotReword({ id, source, status, content, details }: Memory, text: string): string | undefined {
  if (status !== "active") return `Not done: ${id} is ${status}.`
  if (source === "user-corrected" || source === "user-stated")
    return "Not done: the person said this themselves; only they word it anew."
  const problem = rewordingProblem(content, text, details.context)
  return problem === undefined ? undefined : `Not done: ${problem}. A new wording says no more and no less.`
}

async function reword(
  desk: MemoryDesk,
  id: string,
  edit: { content: string; derivedFrom: string[] },
): Promise<Changed> {
  const edited = await editMemory(desk, id, edit, desk.by())
  if ("operation" in edited) return edited
  throw new UserError("refused", `Not done: ${edited.reason}.`)
}
