import type { Client } from "../api/client.ts"
import type { Connection } from "./connect.ts"

/** A client of the API for a surface that lives for hours. */
export interface Lasting {
  /** Goes to the daemon if one runs by now, else to the product opened in this process. */
  use<T>(work: (client: Client) => Promise<T>): Promise<T>
  /** Waits for what is under way, then lets go of everything. */
  close(): Promise<void>
}

interface Held {
  connection: Connection
  toDaemon: boolean
  uses: Set<Promise<unknown>>
}

/** Keeps a connection, and changes it when a daemon comes: two programs must not do its work side by side for hours. */
export function openLasting({
  connect,
  isDaemonUp,
}: {
  connect(): Promise<Connection>
  /** Whether a daemon answers now. */
  isDaemonUp(): Promise<boolean>
}): Lasting {
  let turning: Promise<Held | undefined> = Promise.resolve(undefined)
  const letGo = async (held: Held | undefined) => {
    await Promise.allSettled(held?.uses ?? [])
    await held?.connection.close()
  }
  const turn = async (before: Held | undefined): Promise<Held> => {
    const toDaemon = await isDaemonUp()
    // A connection to a daemon finds its own way when that goes away and comes back.
    if (before && (before.toDaemon || !toDaemon)) return before
    const next = { connection: await connect(), toDaemon, uses: new Set<Promise<unknown>>() }
    void letGo(before).catch(() => undefined)
    return next
  }
  return {
    async use(work) {
      const before = turning
      const now = before.then(turn)
      turning = now.catch(() => before)
      const { connection, uses } = await now
      const doing = work(connection.client)
      uses.add(doing)
      return doing.finally(() => uses.delete(doing))
    },
    close: async () => letGo(await turning),
  }
}
