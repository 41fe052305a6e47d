import { splitAddress } from "./address.ts"

/** What people can tell it to do about itself. */
export type Command = "mute" | "unmute" | "leave"

const commands: Record<string, Command> = {
  mute: "mute",
  "be quiet": "mute",
  unmute: "unmute",
  leave: "leave",
  "leave this thread": "leave",
  "leave the thread": "leave",
}

/** Longer texts are no commands. */
const longest = 100

/** The command that a message to us is, if it is nothing else. */
export function commandIn(text: string, names: readonly string[]): Command | null {
  const given = splitAddress(text, names) ?? text
  if (given.length > longest) return null
  const told = given
    .toLowerCase()
    .replaceAll(/^\s*(?:please|\/)\s*|[\s,]*(?:please)?[\s.!]*$/g, "")
    .replaceAll(/\s+/g, " ")
  return commands[told] ?? null
}
