import type { Client } from "../api/client.ts"
import type { Connection } from "./connect.ts"

/** A client of the API for a surface that lives for hours. */
export interface LongLivedClient {
  /** Uses the daemon if one runs now, else the product opened in this process. */
  use<T>(work: (client: Client) => Promise<T>): Promise<T>
  /** Waits for running work, then closes everything. */
  close(): Promise<void>
}

interface OpenConnection {
  connection: Connection
  toDaemon: boolean
  uses: Set<Promise<unknown>>
}

/** Switches to the daemon when one starts: two processes must not do the daemon's work for hours. */
export function openLongLivedClient({
  connect,
  isDaemonUp,
}: {
  connect(): Promise<Connection>
  /** Whether a daemon answers now. */
  isDaemonUp(): Promise<boolean>
}): LongLivedClient {
  let current: Promise<OpenConnection | undefined> = Promise.resolve(undefined)
  const release = async (held: OpenConnection | undefined) => {
    await Promise.allSettled(held?.uses ?? [])
    await held?.connection.close()
  }
  const choose = async (before: OpenConnection | undefined): Promise<OpenConnection> => {
    const toDaemon = await isDaemonUp()
    // A connection to a daemon reconnects by itself.
    if (before && (before.toDaemon || !toDaemon)) return before
    const next = { connection: await connect(), toDaemon, uses: new Set<Promise<unknown>>() }
    void release(before).catch(() => undefined)
    return next
  }
  return {
    async use(work) {
      const before = current
      const now = before.then(choose)
      current = now.catch(() => before)
      const { connection, uses } = await now
      const running = work(connection.client)
      uses.add(running)
      return running.finally(() => uses.delete(running))
    },
    close: async () => release(await current),
  }
}
