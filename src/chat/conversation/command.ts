import type { Command } from "../attention/command.ts"
import type { ChatMessage } from "../channels/channel.ts"
import { stopEverything } from "./run.ts"
import { change, journal, type Step } from "./step.ts"

/** Runs a command that a user typed; false if it does not apply here and is an ordinary message. */
export function handleCommand(step: Step, command: Command, message: ChatMessage): boolean {
  if (command === "leave" && message.room.thread === null) return false
  const data = { messages: [message.id], by: message.author.id }
  if (!step.settings.policy.mayCommand(message.author)) {
    journal(step, "chat.command-refused", "chat.policy.command_users does not name this user.", data)
    return true
  }
  runCommand(step, command, data)
  step.effects.push({ kind: "acknowledge", message: message.id, emoji: "👍" })
  return true
}

/** Runs an authorised command, from a message or from the API. */
export function runCommand(step: Step, command: Command, data: Record<string, unknown>): void {
  if (command === "unmute") {
    change(step, { isMuted: false, hasLeft: false })
    journal(step, "chat.unmuted", "A user gave this command.", data)
    return
  }
  stopEverything(step, command === "mute" ? "It was muted." : "It was told to leave this thread.")
  change(step, command === "mute" ? { isMuted: true } : { hasLeft: true })
  journal(step, command === "mute" ? "chat.muted" : "chat.left", "A user gave this command.", data)
}
