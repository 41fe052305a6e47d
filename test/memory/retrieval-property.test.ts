import fc from "fast-check"
import { expect, test } from "vitest"
import { UserError } from "../../src/base/errors.ts"
import { standardRecipe } from "../../src/memory/find/rank/recipe.ts"
import { type RetrieveQuery, retrieve } from "../../src/memory/find/retrieve.ts"
import type { Memory } from "../../src/memory/model/memory.ts"
import { selectMemories } from "../../src/memory/model/store/store.ts"
import { editMemory } from "../../src/memory/write/change/edit.ts"
import { pruneExpired } from "../../src/memory/write/change/fading.ts"
import { forget, restore } from "../../src/memory/write/change/forget-restore.ts"
import { linkMemories, unlinkMemories } from "../../src/memory/write/change/link.ts"
import { rateMemory } from "../../src/memory/write/change/rate.ts"
import { tagMemories } from "../../src/memory/write/change/tag.ts"
import { sql } from "../../src/storage/sql.ts"
import { describeDatabases } from "../../testkit/setup/databases.ts"
import { createToyEmbedder } from "../../testkit/toy-embedder.ts"
import { type MemoryWorld, openMemoryWorld } from "../../testkit/worlds/memory-world.ts"

const services = ["billing", "search", "mail"]
const texts = fc.oneof(
  fc
    .tuple(fc.constantFrom(...services), fc.constantFrom(8080, 9090, 7070))
    .map(([service, port]) => `The ${service} service listens on port ${port}`),
  fc
    .tuple(fc.constantFrom(...services), fc.constantFrom("Maria", "Tom"))
    .map(([service, name]) => `The ${service} service is owned by ${name}`),
  fc.constantFrom(...services).map((service) => `Never restart the ${service} service on Fridays`),
)
const projects = fc.constantFrom(undefined, "one", "two")
const sessions = fc.constantFrom(undefined, "s1", "s2")
const audiences = fc.constantFrom(undefined, undefined, "family", "team")
const tags = fc.subarray(["red", "green"])
/** Which of the memories there are is meant, counted round. */
const which = fc.nat(15)

const adding = fc.record({
  act: fc.constant("add" as const),
  text: texts,
  project: projects,
  session: sessions,
  isOfSession: fc.boolean(),
  index: fc.nat(4),
  audience: audiences,
  tags,
  trigger: fc.constantFrom(undefined, undefined, "service", "restart*mail"),
  source: fc.constantFrom("user-corrected" as const, "user-stated" as const, "inferred" as const),
  age: fc.constantFrom("new" as const, "new" as const, "late" as const, "expired" as const),
  verbatim: fc.constantFrom(false, false, false, true),
  quarantined: fc.constantFrom(false, false, false, false, false, true),
})
const step = fc.oneof(
  { weight: 10, arbitrary: adding },
  { weight: 2, arbitrary: fc.record({ act: fc.constant("forget" as const), which }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant("restore" as const), which }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant("prune" as const) }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant("undo" as const) }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant("rate" as const), which }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant("tag" as const), which, tags }) },
  {
    weight: 2,
    arbitrary: fc.record({ act: fc.constant("edit" as const), which, text: texts, audience: audiences }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      act: fc.constant("link" as const),
      which,
      other: which,
      kind: fc.constantFrom("supersedes" as const, "supersedes" as const, "relates-to" as const),
      remove: fc.constantFrom(false, false, false, true),
    }),
  },
)

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** Takes one step; false if there was nothing to change. */
async function take(world: MemoryWorld, step: Step): Promise<boolean> {
  if (step.act === "add") return add(world, step)
  const all = await selectMemories(world.db, sql`true`, sql`order by m.id`)
  const idAt = (index: number) => all[index % all.length]?.id ?? ""
  try {
    if (step.act === "undo") return (await world.undo()).changes > 0
    if (all.length === 0) return false
    const changed = await world.act((needs, by) => {
      switch (step.act) {
        case "forget":
          return forget(needs, [idAt(step.which)], by)
        case "restore":
          return restore(needs, [idAt(step.which)], by)
        case "prune":
          return pruneExpired(needs, { limit: 3 }, by)
        case "rate":
          return rateMemory(needs, idAt(step.which), "helpful", by)
        case "tag":
          return tagMemories(needs, { ids: [idAt(step.which)], add: step.tags, remove: [] }, by)
        case "edit": {
          const edit = { content: step.text, audience: step.audience ?? null }
          return editMemory(needs, idAt(step.which), edit, by)
        }
        case "link": {
          const link = { source: idAt(step.which), kind: step.kind, target: idAt(step.other), weight: 0.8 }
          return step.remove ? unlinkMemories(needs, link, by) : linkMemories(needs, link, by)
        }
      }
    })
    return "memories" in changed && changed.memories.length + changed.edges.length > 0
  } catch (error) {
    if (error instanceof UserError) return false
    throw error
  }
}

async function add(world: MemoryWorld, given: Extract<Step, { act: "add" }>): Promise<boolean> {
  const { project, session, audience, trigger, age } = given
  const isOfSession = given.isOfSession && session !== undefined
  const remembered = await world.remember(given.text, {
    ...(project ? { project } : {}),
    ...(session ? { sessionId: session, messageIndex: given.index } : {}),
    ...(isOfSession ? { scope: "session" as const } : {}),
    ...(audience ? { audience } : {}),
    ...(trigger ? { triggers: [trigger] } : {}),
    ...(age === "late" ? { createdAt: Date.UTC(2025, 11, 1) } : {}),
    ...(age === "expired" ? { createdAt: Date.UTC(2020, 0, 1), type: "observation" as const } : {}),
    tags: given.tags,
    source: given.source,
    verbatim: given.verbatim,
    quarantined: given.quarantined,
  })
  return remembered.outcome !== "refused"
}

type Viewing = Pick<RetrieveQuery, "project" | "session" | "audiences" | "allProjects">

const viewers: Viewing[] = [
  {},
  { project: "one" },
  { project: "two", session: "s1", audiences: ["family"] },
  { session: "s2", audiences: ["team", "nobody"] },
  { allProjects: true },
  { allProjects: true, session: "s1", audiences: ["family", "team"] },
]
const questions = [
  "Which port does the billing service listen on?",
  "Who owns search?",
  "May I restart the mail service on Friday?",
  "What happened yesterday?",
]

/** What may be seen, told independently of the code that decides it. */
function isVisible(memory: Memory, viewer: Viewing, names: ReadonlyMap<string, string>): boolean {
  if (memory.audience !== null && !viewer.audiences?.includes(memory.audience)) return false
  if (memory.scope === "global") return true
  if (memory.scope === "session") return viewer.session === memory.sessionId
  return viewer.allProjects === true || names.get(memory.project ?? "") === viewer.project
}

/** What the whole run came across, so that nothing is proved about nothing. */
interface Seen {
  acts: Set<string>
  statuses: Set<string>
  ways: Set<string>
  hidden: number
  replaced: number
}

async function checkAll(world: MemoryWorld, seen: Seen): Promise<void> {
  const all = new Map((await selectMemories(world.db, sql`true`)).map((memory) => [memory.id, memory]))
  const rows = await world.db.read<{ id: string; name: string }>(sql`select id, name from projects`)
  const names = new Map(rows.map(({ id, name }) => [id, name]))
  for (const { status } of all.values()) seen.statuses.add(status)
  for (const viewer of viewers) {
    for (const [index, query] of questions.entries()) {
      await checkHits(
        world,
        { query, limit: 1 + index * 9, gate: index % 2 === 0, ...viewer },
        all,
        names,
        seen,
      )
    }
    const may = (memory: Memory) => isVisible(memory, viewer, names)
    const visible = [...all.values()].filter(may)
    seen.hidden += all.size - visible.length
    const replaced = visible.filter(({ status }) => status === "superseded")
    const others = visible.filter(({ status }) => status !== "superseded").slice(-2)
    for (const memory of [...replaced, ...others]) await checkFound(world, viewer, memory, all, may, seen)
  }
}

async function checkHits(
  world: MemoryWorld,
  query: RetrieveQuery,
  all: ReadonlyMap<string, Memory>,
  names: ReadonlyMap<string, string>,
  seen: Seen,
): Promise<void> {
  const { hits, confidence, abstained } = await retrieve(world, query)
  expect(hits.length).toBeLessThanOrEqual(query.limit)
  expect(abstained).toBe(!hits.some(({ sure }) => sure))
  expect(confidence).toBeGreaterThanOrEqual(0)
  expect(confidence).toBeLessThanOrEqual(1)
  expect(new Set(hits.map(({ memory }) => memory.id)).size).toBe(hits.length)
  let before = 1
  for (const { memory, score, via } of hits) {
    const stored = all.get(memory.id)
    if (stored === undefined) throw new Error(`${memory.id} is not in the store`)
    expect(stored).toMatchObject({ status: "active", supersededBy: null, content: memory.content })
    expect(isVisible(stored, query, names)).toBe(true)
    expect(score).toBeGreaterThanOrEqual(0)
    expect(score).toBeLessThanOrEqual(before)
    before = score
    expect(via.length).toBeGreaterThan(0)
    for (const way of via) seen.ways.add(way.split(" ")[0] ?? "")
  }
}

/** Asked in a memory's own words, the list holds it, or what replaced it. */
async function checkFound(
  world: MemoryWorld,
  viewer: Viewing,
  memory: Memory,
  all: ReadonlyMap<string, Memory>,
  may: (memory: Memory) => boolean,
  seen: Seen,
): Promise<void> {
  let holding: Memory | undefined = memory
  while (holding?.status === "superseded" && may(holding)) holding = all.get(holding.supersededBy ?? "")
  const recipe = { ...standardRecipe, diversity: false }
  const asked = { query: memory.content, limit: 100, gate: false, ...viewer }
  const { hits } = await retrieve(world, asked, recipe)
  const ids = hits.map((hit) => hit.memory.id)
  if (memory.status === "superseded") expect(ids).not.toContain(memory.id)
  if (holding?.status !== "active" || !may(holding)) return
  expect(ids).toContain(holding.id)
  if (holding.id !== memory.id) seen.replaced += 1
}

describeDatabases("Retrieval after any sequence", (create) => {
  test("returns only what is active and may be seen, the newer for the older, best first", {
    timeout: 300_000,
  }, async () => {
    const seen: Seen = { acts: new Set(), statuses: new Set(), ways: new Set(), hidden: 0, replaced: 0 }
    const steps = fc.array(step, { minLength: 10, maxLength: 30 })
    const property = fc.asyncProperty(steps, async (taken) => {
      const world = await openMemoryWorld(await create(), 1, { embedder: createToyEmbedder() })
      for (const [index, one] of taken.entries()) {
        if (await take(world, one)) seen.acts.add(one.act)
        if (index % 10 === 9) await checkAll(world, seen)
      }
      await checkAll(world, seen)
    })
    await fc.assert(property, { numRuns: 20, seed: 7 })
    expect([...seen.acts].sort()).toEqual(
      ["add", "edit", "forget", "link", "prune", "rate", "restore", "tag", "undo"].sort(),
    )
    expect([...seen.statuses].sort()).toEqual([
      "active",
      "archived",
      "forgotten",
      "quarantined",
      "superseded",
    ])
    expect([...seen.ways]).toEqual(
      expect.arrayContaining(["text", "meaning", "neighbour", "trigger", "supersedes", "relates-to", "tag"]),
    )
    expect(seen.hidden).toBeGreaterThan(100)
    expect(seen.replaced).toBeGreaterThan(20)
  })
})
