import { splitAddress } from "./address.ts"

/** The commands that users can give in a room. */
export type Command = "mute" | "unmute" | "leave"

const commands: Record<string, Command> = {
  mute: "mute",
  "be quiet": "mute",
  unmute: "unmute",
  leave: "leave",
  "leave this thread": "leave",
  "leave the thread": "leave",
}

/** Longer texts are not commands. */
const maxLength = 100

/** The command in a message to us, if it contains nothing else. */
export function commandIn(text: string, names: readonly string[]): Command | null {
  const rest = splitAddress(text, names) ?? text
  if (rest.length > maxLength) return null
  const command = rest
    .toLowerCase()
    .replaceAll(/^\s*(?:please|\/)\s*|[\s,]*(?:please)?[\s.!]*$/g, "")
    .replaceAll(/\s+/g, " ")
  return commands[command] ?? null
}
