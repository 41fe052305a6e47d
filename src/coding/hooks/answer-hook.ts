import type { Recall } from "../../recall/types.ts"
import { claudeCode, codex } from "./claude-code.ts"
import type { HookDialect, HookMessage, HookTool } from "./dialect.ts"
import { geminiCli } from "./gemini-cli.ts"
import { opencode } from "./opencode.ts"

const dialects: Record<HookTool, HookDialect> = {
  "claude-code": claudeCode,
  codex,
  "gemini-cli": geminiCli,
  opencode,
}

/** The dialect of a tool's hooks; undefined for a tool or an event that we do not answer. */
export function dialectFor(tool: string, event: string): HookDialect | undefined {
  const dialect = Object.entries(dialects).find(([name]) => name === tool)?.[1]
  return dialect?.events.includes(event) ? dialect : undefined
}

/** The events of a tool that hooks are installed for. */
export function hookEvents(tool: HookTool): readonly string[] {
  return dialects[tool].events
}

/** The part of recall that hooks use. */
export type RecallForHooks = Pick<Recall, "start" | "turn" | "end">

interface HookTargets {
  recall: RecallForHooks
  /** Called when a session ends; must return at once. */
  onSessionEnd?: ((session: string) => void) | undefined
}

/** Passes a hook's input to recall and returns what the hook must print; undefined for nothing. */
export async function answerHook(
  targets: HookTargets,
  dialect: HookDialect,
  event: string,
  input: unknown,
): Promise<object | undefined> {
  const message = dialect.read(event, input)
  const text = message === undefined ? "" : await surfacedText(targets, message)
  return text === "" ? undefined : dialect.answer(event, text)
}

async function surfacedText({ recall, onSessionEnd }: HookTargets, message: HookMessage): Promise<string> {
  switch (message.kind) {
    case "started":
      return (await recall.start(message.session, message.how)).text
    case "happened":
      return (await recall.turn(message.session, message.happening)).text
    case "ended":
      onSessionEnd?.(message.session.id)
      await recall.end(message.session)
      return ""
  }
}
