import type { Recall } from "../../memory/recall/recall.ts"
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

/** Tells recall what a hook was told, and gives what the hook has to print; undefined for nothing. */
export async function answerHook(
  recall: RecallForHooks,
  dialect: HookDialect,
  event: string,
  input: unknown,
): Promise<object | undefined> {
  const told = dialect.read(event, input)
  const text = told === undefined ? "" : await surfacedText(recall, told)
  return text === "" ? undefined : dialect.answer(event, text)
}

async function surfacedText(recall: RecallForHooks, told: Told): Promise<string> {
  switch (told.kind) {
    case "started":
      return (await recall.start(told.session, told.how)).text
    case "happened":
      return (await recall.turn(told.session, told.happening)).text
    case "ended":
      await recall.end(told.session)
      return ""
  }
}
