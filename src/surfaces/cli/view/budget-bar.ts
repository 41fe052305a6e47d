import type { Output } from "../output.ts"

/** A bar of three parts: the user's share, Reverie's share (at least one cell if not zero), and the rest. */
export function budgetBar(
  output: Output,
  { user, ambient, capacity }: { user: number; ambient: number; capacity: number },
  width: number,
): string {
  const cells = (part: number) => (capacity > 0 ? Math.round((part / capacity) * width) : 0)
  const yours = Math.min(width, cells(user))
  const ours = Math.min(width - yours, ambient > 0 ? Math.max(1, cells(ambient)) : 0)
  return [
    output.paint("blue", "█".repeat(yours)),
    output.paint("magenta", "▓".repeat(ours)),
    output.paint("dim", "░".repeat(width - yours - ours)),
  ].join("")
}
