import type { Recall } from "../../recall/types.ts"
import { claudeCode } from "./claude-code.ts"
import { codex } from "./codex.ts"
import type { HookDialect, HookTool, Told } from "./dialect.ts"
import { geminiCli } from "./gemini-cli.ts"
import { opencode } from "./opencode.ts"

const dialects: Record<HookTool, HookDialect> = {
  "claude-code": claudeCode,
  codex,
  "gemini-cli": geminiCli,
  opencode,
}

/** How this tool speaks with its hooks; undefined for a tool or an event we do not answer. */
export function dialectFor(tool: string, event: string): HookDialect | undefined {
  const dialect = Object.entries(dialects).find(([name]) => name === tool)?.[1]
  return dialect?.events.includes(event) ? dialect : undefined
}

/** The events of a tool that its hooks should be connected to. */
export function hookEvents(tool: HookTool): readonly string[] {
  return dialects[tool].events
}

/** The part of recall that hooks use. */
export type RecallForHooks = Pick<Recall, "start" | "turn" | "end">

interface AnswerNeeds {
  recall: RecallForHooks
  /** Hears of a session that is over; returns at once. */
  onSessionEnd?: ((session: string) => void) | undefined
}

/** Tells recall what a hook was told, and gives what the hook has to print; undefined for nothing. */
export async function answerHook(
  needs: AnswerNeeds,
  dialect: HookDialect,
  event: string,
  input: unknown,
): Promise<object | undefined> {
  const told = dialect.read(event, input)
  const text = told === undefined ? "" : await surfacedText(needs, told)
  return text === "" ? undefined : dialect.answer(event, text)
}

async function surfacedText({ recall, onSessionEnd }: AnswerNeeds, told: Told): Promise<string> {
  switch (told.kind) {
    case "started":
      return (await recall.start(told.session, told.how)).text
    case "happened":
      return (await recall.turn(told.session, told.happening)).text
    case "ended":
      onSessionEnd?.(told.session.id)
      await recall.end(told.session)
      return ""
  }
}
