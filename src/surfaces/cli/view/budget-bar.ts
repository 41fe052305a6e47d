import type { Output } from "../output.ts"

/** The three parts of a limit. */
interface Parts {
  user: number
  ambient: number
  capacity: number
}

/** A bar of three parts: the user's, Reverie's (never too small to be seen), and what is left. */
export function budgetBar(output: Output, { user, ambient, capacity }: Parts, width: number): string {
  const cells = (part: number) => (capacity > 0 ? Math.round((part / capacity) * width) : 0)
  const yours = Math.min(width, cells(user))
  const ours = Math.min(width - yours, ambient > 0 ? Math.max(1, cells(ambient)) : 0)
  return [
    output.paint("blue", "█".repeat(yours)),
    output.paint("magenta", "▓".repeat(ours)),
    output.paint("dim", "░".repeat(width - yours - ours)),
  ].join("")
}
