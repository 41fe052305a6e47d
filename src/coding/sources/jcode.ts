import { readFile, stat } from "node:fs/promises"
import { basename, join } from "node:path"
import { z } from "zod"
import { parseTime } from "../../base/clock.ts"
import { isAlive } from "../../base/processes.ts"
import { elementRemover } from "../../base/text/elements.ts"
import type { Phase } from "../../sessions/session.ts"
import { createFileFinder } from "../reading/find-files.ts"
import type {
  Life,
  OpenSession,
  RawTurn,
  Redact,
  SessionLocation,
  SessionSource,
} from "../sessions/session-source.ts"
import { describeCall, type ToolCall } from "../sessions/tool-call.ts"
import { parseLine } from "../usage/meter.ts"
import { blocksOf, saidIn, textOf, toolResult, toolUse } from "./content.ts"

const metaSchema = z.object({
  parent_id: z.string().nullish(),
  title: z.string().nullish(),
  working_dir: z.string().nullish(),
  status: z.unknown().optional(),
  last_pid: z.number().nullish(),
  is_debug: z.boolean().nullish(),
})
const messageSchema = z.object({
  id: z.string(),
  role: z.string(),
  content: z.unknown().optional(),
  timestamp: z.string(),
  display_role: z.string().nullish(),
})
const snapshotSchema = metaSchema.extend({
  id: z.string(),
  created_at: z.string(),
  messages: z.array(z.unknown()),
})
const stepSchema = z.object({
  meta: metaSchema.optional(),
  append_messages: z.array(z.unknown()).default([]),
})

/** jcode's sessions: a snapshot, and a journal of what came after it. Both are read whole; messages have names. */
export function jcodeSource(home: string, redact: Redact): SessionSource {
  const findFiles = createFileFinder()
  return {
    tool: "jcode",
    async locations(since) {
      const files = await findFiles(join(home, "sessions"), /\.(?:json|journal\.jsonl)$/, since)
      const snapshots = new Set(files.map((file) => file.replace(/\.journal\.jsonl$/, ".json")))
      const locations = await Promise.all([...snapshots].map(locationOf))
      return locations.flatMap((location) => location ?? [])
    },
    async read(file, from) {
      const snapshot = snapshotSchema.safeParse(parseLine(await readFile(file, "utf8")))
      // In the middle of being written: the next look finds it whole.
      if (!snapshot.success) return { position: 0, state: null, ...from, news: undefined, more: false }
      const journal = await readFile(journalOf(file), "utf8").catch(() => "")
      // A last line without its end is not whole yet.
      const steps = journal.split("\n").slice(0, -1).flatMap(readStep)
      const meta = steps.findLast((step) => step.meta)?.meta ?? snapshot.data
      const messages = [...snapshot.data.messages, ...steps.flatMap((step) => step.append_messages)]
      const isSubagent = meta.parent_id != null && /subagent/i.test(meta.title ?? "")
      const news = {
        nativeId: snapshot.data.id || basename(file, ".json"),
        startedAt: parseTime(snapshot.data.created_at),
        folder: meta.working_dir ?? undefined,
        title: meta.title ? redact(meta.title) : undefined,
        pid: meta.last_pid ?? undefined,
        phase: phaseOf(meta.status),
        turns: turnsOf(messages, redact),
      }
      const isNoise = isSubagent || meta.is_debug === true
      return { position: messages.length, state: null, news: isNoise ? undefined : news, more: false }
    },
    lives: async (sessions) => sessions.map(lifeOf),
  }
}

function lifeOf({ pid }: OpenSession): Life {
  if (pid === null) return { life: "unknown" }
  return isAlive(pid) ? { life: "alive", pid, isBusy: false } : { life: "left" }
}

function journalOf(file: string): string {
  return file.replace(/\.json$/, ".journal.jsonl")
}

async function locationOf(file: string): Promise<SessionLocation | undefined> {
  const snapshot = await stat(file).catch(() => undefined)
  const journal = await stat(journalOf(file)).catch(() => undefined)
  if (snapshot === undefined) return undefined
  const changedAt = Math.floor(Math.max(snapshot.mtimeMs, journal?.mtimeMs ?? 0))
  return { id: file, changedAt, stamp: `${snapshot.size}/${snapshot.mtimeMs}/${journal?.size ?? 0}` }
}

function readStep(line: string): z.infer<typeof stepSchema>[] {
  const step = stepSchema.safeParse(parseLine(line))
  return step.success ? [step.data] : []
}

/** "Active", "Closed", { Crashed: … }, … */
function phaseOf(status: unknown): Phase | undefined {
  const name = typeof status === "string" ? status : Object.keys(Object(status))[0]
  if (name === "Crashed") return "crashed"
  return name === "Closed" ? "closed" : undefined
}

const withoutPutIn = elementRemover(["system-reminder"])

function turnsOf(messages: readonly unknown[], redact: Redact): RawTurn[] {
  const calls = new Map<string, ToolCall>()
  return messages.flatMap((one) => {
    const message = messageSchema.safeParse(one)
    const at = message.success ? parseTime(message.data.timestamp) : undefined
    if (!message.success || at === undefined || message.data.display_role) return []
    const { id, role, content } = message.data
    if (role !== "user" && role !== "assistant") return []
    for (const call of blocksOf(content, toolUse))
      calls.set(call.id, describeCall(call.name, call.input, redact))
    const results = blocksOf(content, toolResult).map((result): RawTurn => {
      const call = calls.get(result.tool_use_id) ?? { tool: "tool" }
      const isError = result.is_error ?? false
      const text = textOf(result.content)
      return { key: `${id}/${result.tool_use_id}`, role: "tool", at, text, ...call, isError }
    })
    const text = saidIn(content).map(withoutPutIn).join("\n").trim()
    return text === "" ? results : [...results, { key: id, role, at, text }]
  })
}
