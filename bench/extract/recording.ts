import { createHash } from "node:crypto"
import { appendFileSync, existsSync, readFileSync } from "node:fs"
import { z } from "zod"
import { messageOf, UserError } from "../../src/base/errors.ts"
import type { Answer, Question } from "../../src/llm/choice/access.ts"

/** A question to a model as far as its answer depends on it. */
type Prompt = Pick<Question, "system" | "messages" | "tools" | "toolChoice">

type Answered = Extract<Answer, { outcome: "answered" }>

const recorded = z.object({
  /** The hash of all that was sent. */
  prompt: z.string(),
  /** What was to be read, for people who look into the file. */
  text: z.string(),
  /** Who was asked, as WAY/MODEL. */
  asked: z.string(),
  answer: z.object({
    text: z.string(),
    calls: z.array(z.object({ id: z.string(), name: z.string(), input: z.unknown() })),
    finish: z.enum(["stop", "calls", "length", "filtered"]),
    spent: z.object({
      input: z.number(),
      cachedInput: z.number(),
      output: z.number(),
      costUsd: z.number().nullable(),
    }),
    model: z.string(),
  }),
})
type Recorded = z.infer<typeof recorded>

/** A file of questions and what a model answered, a line each. */
export interface Recording {
  file: string
  /** Who was asked, as WAY/MODEL; undefined while there is nothing in it. */
  asked: string | undefined
  find(prompt: Prompt): Answered | undefined
  add(asked: string, prompt: Prompt, answer: Answered): void
}

function openRecording(file: string): Recording {
  const known = new Map(linesOf(file).map((line) => [line.prompt, line]))
  return {
    file,
    asked: known.values().next().value?.asked,
    find(prompt) {
      const line = known.get(hashOf(prompt))
      return line && { outcome: "answered", readings: [], ...line.answer }
    },
    add(asked, prompt, { text, calls, finish, spent, model }) {
      const answer = { text, calls: [...calls], finish, spent, model }
      const line: Recorded = { prompt: hashOf(prompt), text: lastText(prompt), asked, answer }
      known.set(line.prompt, line)
      append(file, `${JSON.stringify(line)}\n`)
    },
  }
}

/** Opens a recording to go on with; one that is not there yet is begun. */
export function startRecording(file: string): Recording {
  try {
    append(file, "")
  } catch (error) {
    throw new UserError("usage", `${file} cannot be written (${messageOf(error)}); give another file.`)
  }
  return openRecording(file)
}

/** What was sent to a model may be private. */
function append(file: string, text: string): void {
  appendFileSync(file, text, { mode: 0o600 })
}

/** Opens a recording that has to be there. */
export function requireRecording(file: string): Recording {
  if (existsSync(file)) return openRecording(file)
  throw new UserError("not-found", `There is no recording at ${file}; --model NAME --record FILE makes one.`)
}

function linesOf(file: string): Recorded[] {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, "utf8").split("\n")
  return lines.flatMap((line, index) => {
    if (line.trim() === "") return []
    const read = recorded.safeParse(jsonOf(line))
    if (read.success) return [read.data]
    throw new UserError("usage", `Line ${index + 1} of ${file} is no recorded answer; give another file.`)
  })
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** A provider's own form of a turn is no part of what was asked. */
function hashOf({ system, messages, tools, toolChoice }: Prompt): string {
  const said = messages.map((message) => ({ ...message, native: undefined }))
  return createHash("sha256")
    .update(JSON.stringify([system, said, tools, toolChoice]))
    .digest("hex")
}

function lastText({ messages }: Prompt): string {
  const last = messages.findLast(({ role }) => role === "user")
  return last?.role === "user" ? last.text : ""
}
