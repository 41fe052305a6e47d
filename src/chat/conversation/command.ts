import type { Command } from "../attention/command.ts"
import type { ChatMessage } from "../channels/channel.ts"
import { change, type Step, tell } from "./step.ts"
import { stopEverything } from "./stop.ts"

/** Does what somebody typed; false where it is no command after all. */
export function obey(step: Step, command: Command, message: ChatMessage): boolean {
  if (command === "leave" && message.room.thread === null) return false
  const data = { messages: [message.id], by: message.author.id }
  if (!step.settings.policy.mayCommand(message.author)) {
    tell(step, "chat.command-refused", "chat.policy.command_users does not name this person.", data)
    return true
  }
  runCommand(step, command, data)
  step.effects.push({ kind: "acknowledge", message: message.id, emoji: "👍" })
  return true
}

/** Does what somebody who may told it, by a message or from outside. */
export function runCommand(step: Step, command: Command, data: Record<string, unknown>): void {
  if (command === "unmute") {
    change(step, { isMuted: false, hasLeft: false })
    tell(step, "chat.unmuted", "Somebody told it so.", data)
    return
  }
  stopEverything(step, command === "mute" ? "It was muted." : "It was told to leave this thread.")
  change(step, command === "mute" ? { isMuted: true } : { hasLeft: true })
  tell(step, command === "mute" ? "chat.muted" : "chat.left", "Somebody told it so.", data)
}
