// Loaded into the daemon by `--import`: writes down again and again how long its loop was held up, and its memory.
import { renameSync, writeFileSync } from "node:fs"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { isMainThread } from "node:worker_threads"

const file = process.env.REVERIE_LOOP_DELAY_FILE
if (isMainThread && file !== undefined) {
  const delay = monitorEventLoopDelay({ resolution: 10 })
  delay.enable()
  let peakRss = 0
  const write = () => {
    peakRss = Math.max(peakRss, process.memoryUsage.rss())
    const ms = (nanoseconds: number) => nanoseconds / 1e6
    const told = { p50: ms(delay.percentile(50)), p99: ms(delay.percentile(99)), max: ms(delay.max), peakRss }
    writeFileSync(`${file}.new`, JSON.stringify(told))
    renameSync(`${file}.new`, file)
  }
  setInterval(write, 200).unref()
}
