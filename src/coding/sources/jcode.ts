import { readFile } from "node:fs/promises"
import { basename, join } from "node:path"
import { z } from "zod"
import { parseTime } from "../../base/clock.ts"
import { isAlive } from "../../base/processes.ts"
import { createElementRemover } from "../../base/text/elements.ts"
import type { Phase } from "../../sessions/session.ts"
import { createFileFinder } from "../reading/find-files.ts"
import { parseJsonLine, timestamp } from "../reading/json-line.ts"
import type { OpenSession, ProcessState, RawTurn, Redact, SessionSource } from "../sessions/session-source.ts"
import { describeCall, type ToolCall } from "../sessions/tool-call.ts"
import { blocksOf, textBlocksOf, textOf, toolResult, toolUse } from "./content.ts"
import { locationsOf, nothingNew } from "./transcript.ts"

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
  timestamp,
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

/** jcode's sessions: a snapshot and a journal of later messages. Both are read whole; messages have ids. */
export function jcodeSource(home: string, redact: Redact): SessionSource {
  const findFiles = createFileFinder()
  return {
    tool: "jcode",
    async locations(since) {
      const files = await findFiles(join(home, "sessions"), /\.(?:json|journal\.jsonl)$/, since)
      const snapshots = new Set(files.map((file) => file.replace(/\.journal\.jsonl$/, ".json")))
      return locationsOf(snapshots, journalOf)
    },
    async read(file, from) {
      const snapshot = snapshotSchema.safeParse(parseJsonLine(await readFile(file, "utf8")))
      if (!snapshot.success) return nothingNew(from)
      const journal = await readFile(journalOf(file), "utf8").catch(() => "")
      // A last line without its end is incomplete.
      const steps = journal.split("\n").slice(0, -1).flatMap(readStep)
      const meta = steps.findLast((step) => step.meta)?.meta ?? snapshot.data
      const messages = [...snapshot.data.messages, ...steps.flatMap((step) => step.append_messages)]
      const isSubagent = meta.parent_id != null && /subagent/i.test(meta.title ?? "")
      const update = {
        nativeId: snapshot.data.id || basename(file, ".json"),
        startedAt: parseTime(snapshot.data.created_at),
        folder: meta.working_dir ?? undefined,
        title: meta.title ? redact(meta.title) : undefined,
        pid: meta.last_pid ?? undefined,
        phase: phaseOf(meta.status),
        turns: turnsOf(messages, redact),
      }
      const isNoise = isSubagent || meta.is_debug === true
      return { position: messages.length, state: null, update: isNoise ? undefined : update, more: false }
    },
    processStates: async (sessions) => sessions.map(processStateOf),
  }
}

function processStateOf({ pid }: OpenSession): ProcessState {
  if (pid === null) return { state: "unknown" }
  return isAlive(pid) ? { state: "alive", pid, isBusy: false } : { state: "crashed" }
}

function journalOf(file: string): string {
  return file.replace(/\.json$/, ".journal.jsonl")
}

function readStep(line: string) {
  return stepSchema.safeParse(parseJsonLine(line)).data ?? []
}

/** "Active", "Closed", { Crashed: … }, … */
function phaseOf(status: unknown): Phase | undefined {
  const name = typeof status === "string" ? status : Object.keys(Object(status))[0]
  if (name === "Crashed") return "crashed"
  return name === "Closed" ? "closed" : undefined
}

const removeInjected = createElementRemover(["system-reminder"])

function turnsOf(messages: readonly unknown[], redact: Redact): RawTurn[] {
  const calls = new Map<string, ToolCall>()
  return messages.flatMap((one) => {
    const { data } = messageSchema.safeParse(one)
    if (data === undefined || data.display_role) return []
    const { id, role, content, timestamp: at } = data
    if (role !== "user" && role !== "assistant") return []
    for (const call of blocksOf(content, toolUse))
      calls.set(call.id, describeCall(call.name, call.input, redact))
    const results = blocksOf(content, toolResult).map((result): RawTurn => {
      const call = calls.get(result.tool_use_id) ?? { tool: "tool" }
      const isError = result.is_error ?? false
      const text = textOf(result.content)
      return { key: `${id}/${result.tool_use_id}`, role: "tool", at, text, ...call, isError }
    })
    const text = textBlocksOf(content).map(removeInjected).join("\n").trim()
    return text === "" ? results : [...results, { key: id, role, at, text }]
  })
}
