import { readFileSync } from "node:fs"
import type { Client } from "../../src/api/client.ts"
import { beginCycle, emptyReceipt, endCycle, saveMessage, saveProgress } from "../../src/attention/cycles.ts"
import { newId, systemRandom } from "../../src/base/random.ts"
import { recordCall } from "../../src/llm/ledger.ts"
import { saveReadings } from "../../src/llm/limits/store.ts"
import { addRequest } from "../../src/safety/permission/requests.ts"
import { saveSession } from "../../src/sessions/save-session.ts"
import type { Database } from "../../src/storage/database.ts"
import { appendEntry } from "../../src/storage/journal.ts"
import { sql } from "../../src/storage/sql.ts"
import { memories, requested, said, sameThing } from "./sample-texts.ts"

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

interface Needs {
  client: Client
  db: Database
  install: string
  /** What is called now. */
  now: number
}

/** What a sample life left behind, by its ids. */
export interface SampleLife {
  /** The memory with the longest story: from a session, came up, rated, edited. */
  told: string
  /** The newer and the older of what contradicts each other. */
  conflict: [string, string]
  /** The newer and the older of what says the same, which the cycle left open. */
  duplicate: [string, string]
  cycle: string
  request: string
  session: string
}

/** Who an installation is. */
export function installOf(file: string): string {
  return JSON.parse(readFileSync(file, "utf8")).id
}

/**
 * Some weeks with two tools in two projects: sessions, what was learned, an update, a contradiction, a duplicate, a cycle,
 * a permission request, use of models. Memory is written through the API; what only time and models make is put beside it.
 */
export async function liveSampleLife(needs: Needs): Promise<SampleLife> {
  const { client, now } = needs
  const session = await tellSession(needs)
  const ids: string[] = []
  for (const [index, { days, ...memory }] of memories.entries()) {
    const learned = memory.messageIndex === undefined ? {} : { sessionId: session }
    const project = index % 3 === 2 ? {} : { project: index % 3 === 0 ? "tidewater" : "harbour-site" }
    const answer = await client.add({ ...project, ...memory, ...learned, createdAt: now - days * dayMs })
    if (answer.outcome === "refused") throw new Error(answer.reason)
    ids.push(answer.id)
  }
  await tellTimes(needs)
  const [told = "", newer = "", older = "", a = "", b = ""] = ids
  await client.link({ source: newer, kind: "contradicts", target: older })
  await client.link({ source: a, kind: "relates-to", target: told })
  await client.link({ source: b, kind: "derived-from", target: a })
  await client.rate({ id: told, rating: "helpful" })
  await comeUp(needs, [told, a])
  const duplicate = sameThing.map(
    (words) => ids[memories.findIndex((one) => one.content.includes(words))] ?? "",
  )
  const cycle = await tend(needs, [a, b], duplicate)
  const request = await ask(needs, cycle)
  await useModels(needs)
  await client.queueAdd({ context: "Check whether the release notes name the new staging port", minutes: 90 })
  await client.queueAdd({ context: "Look at the flaky upload test again", minutes: 1500, priority: "low" })
  return {
    told,
    conflict: [newer, older],
    duplicate: [duplicate[0] ?? "", duplicate[1] ?? ""],
    cycle,
    request,
    session,
  }
}

/** What was added now is told as if it had been added when it was said. */
async function tellTimes({ db }: Needs): Promise<void> {
  await db.write((transaction) =>
    transaction.run(sql`
      update journal set at = (select m.created_at from memories m where m.id = journal.subject)
      where kind = 'memory.saved' and subject in (select m.id from memories m)`),
  )
}

const by = (actor: string) => ({ operation: newId(systemRandom, "op"), actor })

async function tellSession({ db, install, now }: Needs): Promise<string> {
  for (const [index, { tool, title, branch, turns, hours }] of said.entries()) {
    const startedAt = now - hours * hourMs
    await db.write((transaction) =>
      saveSession(
        transaction,
        { install, now: startedAt, by: by("daemon") },
        {
          tool,
          nativeId: `sample-${index}`,
          project: undefined,
          folder: "/home/you/tidewater",
          branch,
          title,
          firstWords: undefined,
          startedAt,
          changedAt: startedAt + turns.length * minuteMs,
          phase: "closed",
          pid: undefined,
          status: index === 1 ? "idle" : "closed",
          lastUserAt: startedAt,
          isSpoken: true,
          turns: turns.map((turn, place) => ({
            ...turn,
            at: startedAt + place * minuteMs,
            key: `turn ${place}`,
          })),
        },
      ),
    )
  }
  return `${said[0]?.tool}:sample-0`
}

async function comeUp({ db, now }: Needs, ids: string[]): Promise<void> {
  const times = [
    { at: now - 51.9 * hourMs, session: "opencode:sample-2", turn: 2, memories: ids.slice(0, 1) },
    { at: now - 2.49 * hourMs, session: "codex:sample-1", turn: 1, memories: ids },
  ]
  for (const { at, session, ...data } of times)
    await db.write((transaction) =>
      appendEntry(transaction, { ...by("recall"), at, kind: "recall.surfaced", subject: session, data }),
    )
}

async function tend(
  { db, client, install, now }: Needs,
  ids: string[],
  duplicate: string[],
): Promise<string> {
  const startedAt = now - 95 * minuteMs
  const beginning = { install, random: systemRandom, now: startedAt }
  const { id } = await db.write((transaction) =>
    beginCycle(transaction, beginning, { trigger: "a session ended", items: [] }, by("daemon")),
  )
  const tagged = await client.tag({ ids, add: ["infra"] })
  return db.write(async (transaction) => {
    // What a cycle does goes by its own name.
    const operation = `${id}-1`
    await transaction.run(
      sql`update journal set operation = ${operation}, actor = 'ambient', at = ${startedAt + 20_000} where operation = ${tagged.operation}`,
    )
    await saveProgress(transaction, id, { model: { access: "claude", model: "claude-haiku-4-5" } })
    const messages = [
      { role: "user", text: "Two memories about the staging database may belong together. Look at them." },
      {
        role: "assistant",
        text: "Both are about staging. I tag them alike and ask before I touch the repository.",
        calls: [{ id: "call_1", name: "memory_tag", input: { ids, add: ["infra"] } }],
      },
      {
        role: "tool",
        results: [{ callId: "call_1", name: "memory_tag", text: "Tagged 2 memories.", isError: false }],
      },
    ] as const
    for (const [position, message] of messages.entries())
      await saveMessage(transaction, { cycle: id, position, at: startedAt + position * 9000 }, message)
    const receipt = {
      ...emptyReceipt(),
      deeds: [{ name: "tag memories", operation, changed: ids.length, words: ["Added the tag infra."] }],
      tokens: { input: 11_840, cachedInput: 6200, output: 912 },
      calls: 2,
      windows: [{ id: "5h", percent: 0.4 }],
      open: [
        {
          kind: "duplicate",
          memories: duplicate,
          note: "They have nearly the same meaning, but different words.",
        },
      ],
      requests: [{ action: "push_branch", description: requested.description }],
      found: ["2 sessions since the last cycle", "3 commits in tidewater"],
    }
    const summary =
      "Tagged what belongs to staging, and asked whether to push the fix of the flaky upload test."
    await endCycle(
      transaction,
      { id, now: startedAt + 74_000 },
      { status: "complete", summary, receipt },
      by("daemon"),
    )
    return id
  })
}

async function ask({ db, install, now }: Needs, cycle: string): Promise<string> {
  const request = { ...requested, askedBy: cycle, project: null, expiresAt: now + 2 * dayMs }
  const where = { install, random: systemRandom, now: now - 93 * minuteMs }
  return (await db.write((transaction) => addRequest(transaction, where, request, by("daemon")))).id
}

/** A month of use, the same each time. */
async function useModels({ db, install, now }: Needs): Promise<void> {
  const pool = "anthropic-subscription" as const
  await db.write(async (transaction) => {
    for (let day = 0; day < 30; day += 1) {
      const wave = 1 + Math.sin(day / 2.3) * 0.6 + (day % 7 < 2 ? -0.5 : 0.2)
      const calls = [
        { source: "user", model: "claude-opus-4-8", input: 900_000 * wave, output: 42_000 * wave },
        { source: "ambient", model: "claude-haiku-4-5", input: 90_000 * wave, output: 6000 * wave },
        { source: "extraction", model: "claude-haiku-4-5", input: 140_000 * wave, output: 4000 * wave },
        { source: "judge", model: "claude-haiku-4-5", input: 46_000 * wave, output: 1200 * wave },
      ] as const
      for (const call of calls)
        await recordCall(
          transaction,
          install,
          {
            ...call,
            id: newId(systemRandom, "call"),
            at: now - day * dayMs - hourMs,
            cycle: null,
            pool,
            way: "claude",
            input: Math.round(call.input),
            cachedInput: Math.round(call.input / 2),
            output: Math.round(call.output),
            costUsd: null,
            latencyMs: 2400,
            outcome: "answered",
            reason: null,
          },
          by("daemon"),
        )
    }
    const window = (name: string, used: number, lengthMs: number) => ({
      ...{ pool, window: name, unit: "percent", capacity: 100, used, lengthMs, learnedFrom: "statusline" },
      ...{ resetsAt: now + lengthMs / 3, at: now - minuteMs },
    })
    const readings = [window("5h", 34, 5 * hourMs), window("7d", 57, 7 * dayMs)] as const
    await saveReadings(transaction, install, readings as never)
  })
}
