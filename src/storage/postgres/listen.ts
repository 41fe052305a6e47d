import type pg from "pg"
import { messageOf } from "../../base/errors.ts"
import type { DatabaseOptions } from "../database.ts"

/** The pause before a lost connection is opened again. */
const retryMs = 2000

/** Reports commits of all processes through NOTIFY, on a connection that is open only while there are listeners. */
export function listenForCommits(needs: DatabaseOptions & { connect(): pg.Client; channel: string }) {
  const listeners = new Set<() => void>()
  let client: pg.Client | undefined
  let cancelRetry: (() => void) | undefined
  const announce = () => {
    for (const listener of listeners) listener()
  }

  async function open(): Promise<void> {
    const opened = needs.connect()
    client = opened
    opened.on("notification", announce)
    opened.on("error", (error) => lost(opened, error))
    opened.on("end", () => lost(opened, new Error("the server closed the connection")))
    try {
      await opened.connect()
      await opened.query(`listen ${needs.channel}`)
      // There may have been commits before the connection was ready.
      announce()
    } catch (error) {
      lost(opened, error)
    }
  }

  function lost(which: pg.Client, error: unknown): void {
    if (client !== which) return
    client = undefined
    needs.log.warn("Lost the connection that listens for commits; trying again", { reason: messageOf(error) })
    cancelRetry?.()
    cancelRetry = needs.clock.after(retryMs, () => {
      if (listeners.size > 0 && client === undefined) void open()
    })
  }

  async function stop(): Promise<void> {
    cancelRetry?.()
    const closing = client
    client = undefined
    await closing?.end().catch(() => undefined)
  }

  function listen(listener: () => void): () => void {
    listeners.add(listener)
    if (client === undefined) void open()
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0) void stop()
    }
  }

  return { listen, stop }
}
