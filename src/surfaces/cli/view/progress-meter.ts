import type { Clock } from "../../../base/clock.ts"
import { grouped, spanText } from "../../../base/text/text.ts"
import type { Output } from "../output.ts"

interface MeterNeeds {
  output: Output
  clock: Clock
}

/** What is being done, in which unit it is counted, and how numbers of it are shown. */
interface Metered {
  doing: string
  unit: string
  show?: (amount: number) => string
}

/** How far it is. `share` is how much of the whole is done, from 0 to 1, where that is known. */
interface Progress {
  done: number
  share?: number | undefined
}

const barColumns = 20
/** A rate over less than this says nothing. */
const shortestMs = 500

/** One line on a terminal that tells how far something is, how fast it goes and how long it will take. */
export function openMeter({ output, clock }: MeterNeeds, { doing, unit, show = shown }: Metered) {
  const began = clock.now()
  return {
    tell({ done, share }: Progress): void {
      const ms = clock.now() - began
      const isKnown = share !== undefined && share > 0
      const parts = [
        `${doing}:`,
        ...(share === undefined ? [] : [barOf(share), `${Math.floor(share * 100)} %`]),
        `${show(done)} ${unit}`,
        ...(ms < shortestMs ? [] : [`· ${show((done * 1000) / ms)} ${unit}/s`]),
        ...(ms < shortestMs || !isKnown ? [] : [`· ${spanText((ms / share) * (1 - share))} left`]),
      ]
      output.progress(parts.join(" "))
    },
    end: () => output.progress(""),
  }
}

/** Small rates have a digit behind the point; what is counted has none. */
function shown(amount: number): string {
  return amount >= 10 || Number.isInteger(amount) ? grouped(Math.round(amount)) : amount.toFixed(1)
}

function barOf(share: number): string {
  const done = Math.round(Math.min(1, Math.max(0, share)) * barColumns)
  return "█".repeat(done) + "░".repeat(barColumns - done)
}
