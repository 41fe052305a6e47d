import type { Clock } from "../../../base/clock.ts"
import type { Output } from "../output.ts"
import { openMeter } from "./progress-meter.ts"

/** Shows how far the download of the embedding model is, on a terminal; the line goes when it is done. */
export function downloadBar(needs: {
  output: Output
  clock: Clock
}): (progress: { file: string; received: number; bytes: number }) => void {
  let meter: ReturnType<typeof openMeter> | undefined
  return ({ received, bytes }) => {
    meter ??= openMeter(needs, {
      doing: "Fetching the embedding model, once",
      unit: "MB",
      show: (amount) => (amount / 1e6).toFixed(1),
    })
    if (received >= bytes) meter.end()
    else meter.tell({ done: received, share: received / bytes })
  }
}
