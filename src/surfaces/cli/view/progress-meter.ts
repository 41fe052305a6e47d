import type { Clock } from "../../../base/clock.ts"
import { grouped, spanText } from "../../../base/text/text.ts"
import type { CliNeeds } from "../needs.ts"
import type { Output } from "../output.ts"

/** What is being done, the unit it is counted in, and how amounts are shown. */
interface Metered {
  doing: string
  unit: string
  show?: (amount: number) => string
}

const barColumns = 20
/** No rate is shown before this much time. */
const shortestMs = 500

/** One line on a terminal with the progress, the rate and the time left. */
export function openMeter(
  { output, clock }: { output: Pick<Output, "progress">; clock: Clock },
  { doing, unit, show = shown }: Metered,
) {
  const began = clock.now()
  return {
    /** `share` is the part that is done, 0 to 1, where it is known. */
    update({ done, share }: { done: number; share?: number | undefined }): void {
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

/** Shows the download of the embedding model on a terminal; the line disappears at the end. */
export function downloadBar(
  needs: Pick<CliNeeds, "output" | "clock">,
): (progress: { file: string; received: number; bytes: number }) => void {
  let meter: ReturnType<typeof openMeter> | undefined
  return ({ received, bytes }) => {
    meter ??= openMeter(needs, {
      doing: "Downloading the embedding model, once",
      unit: "MB",
      show: (amount) => (amount / 1e6).toFixed(1),
    })
    if (received >= bytes) meter.end()
    else meter.update({ done: received, share: received / bytes })
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
