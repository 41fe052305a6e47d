import { z } from "zod"
import type { PermissionWish, Progress } from "../../attention/cycles.ts"
import { addItem } from "../../attention/queue.ts"
import { type Clock, isoTime, parseTime } from "../../base/clock.ts"
import { UserError } from "../../base/errors.ts"
import type { Random } from "../../base/random.ts"
import { lostThing, rewordingProblem } from "../../language/rewording.ts"
import { defineTool, type Tool } from "../../llm/tool.ts"
import { type RetrieveNeeds, retrieve } from "../../memory/find/retrieve.ts"
import { isSamePlace, similarTo, wordingOf } from "../../memory/find/similar-memories.ts"
import { contentAfter, mergeDuplicates } from "../../memory/garden/settle.ts"
import { countGone } from "../../memory/model/agents/losses.ts"
import { type MemoryType, memoryTypes } from "../../memory/model/kinds.ts"
import { rootOf } from "../../memory/model/known-projects.ts"
import { type Memory, newMemorySchema } from "../../memory/model/memory.ts"
import type { ProjectFinder } from "../../memory/model/project.ts"
import { eachText } from "../../memory/model/screen-memory.ts"
import { requireMemory } from "../../memory/model/store/browse.ts"
import { resolveConflict } from "../../memory/write/change/conflicts.ts"
import { editMemory } from "../../memory/write/change/edit.ts"
import { archive } from "../../memory/write/change/forget-restore.ts"
import { linkMemories } from "../../memory/write/change/link.ts"
import type { Changed } from "../../memory/write/change/operation.ts"
import { remember } from "../../memory/write/remember.ts"
import type { Screen } from "../../privacy/screen.ts"
import type { DeeperLook } from "../../recall/choose/read-source.ts"
import type { Database } from "../../storage/database.ts"
import { appendEntry, type By } from "../../storage/journal.ts"
import { fenced } from "./prompts.ts"

/** What the agent said when it ended its cycle. */
export interface Ending {
  summary: string
  wish: { at: number; context: string } | null
}

/** What the tools work on, and what they tell the cycle. */
export interface ToolNeeds extends RetrieveNeeds {
  db: Database
  clock: Clock
  random: Random
  screen: Screen
  projects: ProjectFinder
  install: string
  deeper: DeeperLook
  cycle: string
  /** A new operation of the cycle at each call. */
  by(): By
  /** Projects whose memories are none of the agent's business. */
  excluded: ReadonlySet<string>
  /** Memories that may stop being found in this cycle; reaching it ends every such act. */
  lossLimit: number
  onTodos(todos: Progress["todos"]): Promise<void>
  onDeed(name: string, changed: Changed): Promise<void>
  onRequest(request: PermissionWish): void
  onEnding(ending: Ending): void
}

const sourcesOf = z
  .array(z.string().min(4))
  .max(20)
  .default([])
  .describe("other memories that the text was drawn from")

const wakeFields = {
  wake_in_minutes: z.number().min(1).max(100_000).optional().describe("minutes from now"),
  wake_at: z.string().optional().describe("an ISO time, instead of minutes"),
  context: z.string().min(1).max(2000).describe("what to do then, so that you know it again"),
}

/** Everything the agent may do in a cycle. Nothing here reaches beyond the memory and its own queue. */
export function cycleTools(needs: ToolNeeds): Tool[] {
  let lost = 0
  const { by } = needs
  const lengthy = { ...needs, longestText: needs.config.memory.longest_text }
  /** Runs an act that takes memories out of sight, unless too many went already. */
  const losing = async (name: string, act: () => Promise<Changed>, least = 0) => {
    if (lost >= needs.lossLimit)
      return {
        text: `Not done: this cycle has put aside or reworded ${lost} memories already, and no more may go.`,
        isError: true,
      }
    const changed = await act()
    lost += Math.max(least, countGone(changed.memories))
    await needs.onDeed(name, changed)
    return `Done (${changed.operation}).`
  }
  return [
    defineTool({
      name: "todos",
      description: "Replace your list of what you plan in this cycle. Mark what is done.",
      input: z.object({ items: z.array(z.object({ text: z.string().max(300), done: z.boolean() })).max(50) }),
      async run({ items }) {
        const todos = items.map(async ({ text, done }) => ({ text: await needs.screen.redact(text), done }))
        await needs.onTodos(await Promise.all(todos))
        return `Noted: ${items.filter(({ done }) => done).length} of ${items.length} done.`
      },
    }),
    defineTool({
      name: "memory_search",
      description: "Find memories about something, in all projects.",
      input: z.object({ query: z.string().min(1).max(1000), limit: z.int().min(1).max(30).default(10) }),
      async run({ query, limit }) {
        const { hits } = await retrieve(needs, { query, limit, allProjects: true, gate: false })
        const shown = hits.filter(({ memory }) => !needs.excluded.has(memory.project ?? ""))
        if (shown.length === 0) return "Nothing was found."
        return shown
          .map(({ memory }) => `${memory.id} (${memory.type}): ${fenced(memory.content)}`)
          .join("\n")
      },
    }),
    defineTool({
      name: "memory_show",
      description: "Show one memory with where it came from and how sure it is.",
      input: z.object({ id: z.string().min(4) }),
      async run({ id }) {
        return fenced(JSON.stringify(await requireOurs(needs, id)))
      },
    }),
    defineTool({
      name: "memory_source",
      description: "Read what was said where a memory comes from.",
      input: z.object({ id: z.string().min(4) }),
      async run({ id }) {
        return fenced(await needs.deeper.readSource(await requireOurs(needs, id)))
      },
    }),
    defineTool({
      name: "session_search",
      description: "Find what was said about something in the person's sessions of a memory's project.",
      input: z.object({
        words: z.string().min(2).max(200),
        memory: z.string().min(4).describe("a memory of the project"),
      }),
      async run({ words, memory }) {
        const { project } = await requireOurs(needs, memory)
        if (project === null)
          return "That memory belongs to no project, so there are no sessions to look into."
        return fenced(await needs.deeper.searchSessions(words, [project]))
      },
    }),
    defineTool({
      name: "memory_merge",
      description:
        "Decide that two memories say the same in other words: `keep` stays and becomes stronger, `drop` is put aside and points to it.",
      input: z.object({ keep: z.string().min(4), drop: z.string().min(4) }),
      async run({ keep, drop }) {
        const obstacle = (await cannotReplace(needs, keep, drop)) ?? (await cannotMerge(needs, keep, drop))
        if (obstacle) return { text: obstacle, isError: true }
        const pair = { keep: await requireOurs(needs, keep), drop: await requireOurs(needs, drop) }
        return losing("merged", () => mergeDuplicates(lengthy, [pair], by()))
      },
    }),
    defineTool({
      name: "memory_replace",
      description:
        "Decide that one memory is the newer truth about what another says: `keep` stays, `drop` is put aside and points to it. Never for two that may both be true.",
      input: z.object({
        keep: z.string().min(4),
        drop: z.string().min(4),
        reason: z.string().min(3).max(500),
      }),
      async run({ keep, drop }) {
        const obstacle = await cannotReplace(needs, keep, drop)
        if (obstacle) return { text: obstacle, isError: true }
        return losing("replaced", () =>
          linkMemories(needs, { source: keep, kind: "supersedes", target: drop }, by()),
        )
      },
    }),
    defineTool({
      name: "memory_keep_both",
      description: "Decide that two memories which were held against each other may both be true.",
      input: z.object({ first: z.string().min(4), second: z.string().min(4) }),
      async run({ first, second }) {
        for (const id of [first, second]) {
          const { source } = await requireOurs(needs, id)
          if (source === "user-corrected")
            return {
              text: "Not done: the person corrected one of them themselves; only they decide about it.",
              isError: true,
            }
        }
        const changed = await resolveConflict(needs, { id: first, other: second, keep: "both" }, by())
        await needs.onDeed("kept both", changed)
        return `Done (${changed.operation}).`
      },
    }),
    defineTool({
      name: "memory_reword",
      description:
        "Give a memory a clearer text that says the same: with all its telling words and no new ones. Not for what the person said themselves.",
      input: z.object({ id: z.string().min(4), text: z.string().min(3).max(2000), from: sourcesOf }),
      async run({ id, text, from }) {
        const obstacle = cannotReword(await requireOurs(needs, id), text)
        if (obstacle) return { text: obstacle, isError: true }
        for (const one of from) await requireOurs(needs, one)
        return losing("reworded", () => reword(needs, id, { content: text, derivedFrom: from }, by()), 1)
      },
    }),
    defineTool({
      name: "memory_conclude",
      description:
        "Keep one sentence that follows from several memories together and that none of them says.",
      input: z.object({
        text: z.string().min(3).max(2000),
        type: z.enum(memoryTypes).default("fact"),
        from: z.array(z.string().min(4)).min(2).max(20).describe("the memories it follows from"),
      }),
      async run({ text, type, from }) {
        const all = await Promise.all(from.map((id) => requireOurs(needs, id)))
        return conclude(needs, { text, type, from: all }, by())
      },
    }),
    defineTool({
      name: "memory_archive",
      description: "Put a memory aside that is no longer true or of no use to anybody.",
      input: z.object({ id: z.string().min(4), reason: z.string().min(3).max(500) }),
      async run({ id }) {
        const { source } = await requireOurs(needs, id)
        if (source === "user-corrected")
          return {
            text: "Not done: the person corrected this themselves; only they put it aside.",
            isError: true,
          }
        return losing("archived", () => archive(needs, [id], by()))
      },
    }),
    defineTool({
      name: "schedule_ambient",
      description: "Plan something for a later cycle.",
      input: z.object({ ...wakeFields, priority: z.enum(["low", "normal", "high"]).default("normal") }),
      async run({ context, priority, ...when }) {
        const dueAt = momentOf(needs.clock, when)
        if (dueAt === undefined) return { text: "Say when: wake_in_minutes or wake_at.", isError: true }
        const item = {
          dueAt,
          priority,
          context: await needs.screen.redact(context),
          project: null,
          createdBy: needs.cycle,
        }
        const where = { install: needs.install, random: needs.random, now: needs.clock.now() }
        const { id } = await needs.db.write((transaction) => addItem(transaction, where, item, by()))
        return `Planned as ${id} for ${isoTime(dueAt)}.`
      },
    }),
    defineTool({
      name: "request_permission",
      description: "Ask the person to allow something you may not do by yourself.",
      input: z.object({
        action: z.string().max(200),
        description: z.string().max(2000),
        rationale: z.string().max(2000),
      }),
      async run(request) {
        const at = needs.clock.now()
        const data = (await eachText(request, needs.screen.redact)) as PermissionWish
        needs.onRequest(data)
        const entry = { ...by(), at, kind: "permission.refused" as const, subject: needs.cycle, data }
        await needs.db.write((transaction) => appendEntry(transaction, entry))
        return "Noted, and refused for now: nobody can be asked yet. Go on without it."
      },
    }),
    defineTool({
      name: "end_ambient_cycle",
      description: "End the cycle. Required, as the last call.",
      input: z.object({
        summary: z.string().min(1).max(4000).describe("what you did, for the person"),
        next_schedule: z.object(wakeFields).partial({ context: true }).nullish(),
      }),
      async run({ summary, next_schedule }) {
        const at = next_schedule ? momentOf(needs.clock, next_schedule) : undefined
        needs.onEnding({
          summary: await needs.screen.redact(summary),
          wish:
            at === undefined
              ? null
              : { at, context: await needs.screen.redact(next_schedule?.context ?? "") },
        })
        return { text: "The cycle has ended.", ends: true }
      },
    }),
  ]
}

/** Remembers what follows from memories of one place; it is supposed by us, and holds where they hold. */
async function conclude(
  needs: ToolNeeds,
  { text, type, from }: { text: string; type: MemoryType; from: readonly Memory[] },
  by: By,
) {
  const [first] = from
  if (first === undefined || from.some((one) => !isSamePlace(one, first)))
    return { text: "Not done: they belong to different places.", isError: true }
  const root = await rootOf(needs.db, first.project)
  if (first.project !== null && !root)
    return { text: "Not done: their project is not on this machine.", isError: true }
  const given = newMemorySchema.parse({
    content: text,
    type,
    source: "inferred",
    confidence: Math.min(...from.map(({ confidence }) => confidence)),
    derivedFrom: from.map(({ id }) => id),
    ...(root === undefined ? {} : { project: root }),
  })
  // What nobody said waits until a person or a second source bears it out.
  const remembered = await remember(needs, { ...given, quarantined: true }, by)
  if (remembered.outcome === "refused") return { text: remembered.reason, isError: true }
  const memories = [await requireMemory(needs.db, remembered.id)]
  await needs.onDeed("concluded", { operation: by.operation, memories, edges: [] })
  return `Done (${by.operation}): ${remembered.outcome} as ${remembered.id}.`
}

/** What the person said weighs more than what was concluded: the lesser cannot take its place. */
async function cannotReplace(needs: ToolNeeds, keep: string, drop: string): Promise<string | undefined> {
  const kept = await requireOurs(needs, keep)
  const dropped = await requireOurs(needs, drop)
  if (kept.status !== "active") return `Not done: ${kept.id} is not active itself.`
  if (
    dropped.source === "user-corrected" &&
    !(kept.source === "user-corrected" && kept.createdAt > dropped.createdAt)
  )
    return `Not done: the person corrected ${dropped.id} themselves; only a later correction takes its place.`
  if (kept.trust < dropped.trust) return `Not done: ${dropped.id} is from a better source than ${kept.id}.`
  return undefined
}

/** Opposites are never merged, whatever a model thinks of them. */
async function cannotMerge(needs: ToolNeeds, keep: string, drop: string): Promise<string | undefined> {
  const kept = await requireOurs(needs, keep)
  const dropped = await requireOurs(needs, drop)
  const { relation } = similarTo(kept, wordingOf(kept.content), wordingOf(dropped.content), undefined)
  if (relation.kind === "contradicts" || !isSamePlace(kept, dropped))
    return "Not done: they say opposite things, or belong to different places; two such are never merged."
  const lost = lostThing(dropped.content, contentAfter(kept, dropped, needs.config.memory.longest_text))
  return lost === undefined ? undefined : `Not done: ${kept.id} does not say all: ${lost} would be lost.`
}

/** What the person said stays in their words; anything else may only be said more clearly. */
function cannotReword(memory: Memory, text: string): string | undefined {
  const { id, source, status, content, details } = memory
  if (status !== "active") return `Not done: ${id} is ${status}.`
  if (source === "user-corrected" || source === "user-stated")
    return "Not done: the person said this themselves; only they word it anew."
  const problem = rewordingProblem(content, text, details.context)
  return problem === undefined ? undefined : `Not done: ${problem}. A new wording says no more and no less.`
}

async function reword(
  needs: ToolNeeds,
  id: string,
  edit: { content: string; derivedFrom: string[] },
  by: By,
): Promise<Changed> {
  const edited = await editMemory(needs, id, edit, by)
  if ("operation" in edited) return edited
  throw new UserError("refused", `Not done: ${edited.reason}.`)
}

/** A memory that the agent may look at and change. */
async function requireOurs({ db, excluded }: ToolNeeds, id: string): Promise<Memory> {
  const memory = await requireMemory(db, id)
  if (excluded.has(memory.project ?? ""))
    throw new UserError("refused", `${id} belongs to a project that keeps you out.`)
  return memory
}

function momentOf(
  clock: Clock,
  when: { wake_in_minutes?: number | undefined; wake_at?: string | undefined },
): number | undefined {
  if (when.wake_in_minutes !== undefined) return clock.now() + when.wake_in_minutes * 60_000
  const at = when.wake_at === undefined ? undefined : parseTime(when.wake_at)
  return at === undefined ? undefined : Math.max(at, clock.now())
}
