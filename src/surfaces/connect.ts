import { type Client, type ClientOptions, createClient } from "../api/client.ts"
import type { Answer } from "../api/contract/answers.ts"
import { type Fetch, isConnectionLost } from "../api/fetch.ts"
import { hasOwnSocket, isDaemonUp, socketFetch } from "../api/socket-fetch.ts"
import type { Clock } from "../base/clock.ts"
import { UserError } from "../base/errors.ts"

/** The product opened in this process. */
export interface InProcess {
  app: { fetch(request: Request): Response | Promise<Response> }
  close(): Promise<void>
}

interface ConnectOptions extends Omit<ClientOptions, "fetch"> {
  socket: string
  clock: Clock
  /** REVERIE_DATABASE_URL, if it is set. */
  databaseUrl: string | undefined
  openLocal(): Promise<InProcess>
}

/** A client, and how to close whatever was opened for it. */
export interface Connection {
  client: Client
  close(): Promise<void>
}

/** Connects to the daemon, or opens the product in this process if none runs. */
export async function connect(needs: ConnectOptions): Promise<Connection> {
  let local: Promise<InProcess> | undefined
  const inside: Fetch = async (input, init) => {
    local ??= needs.openLocal()
    return (await local).app.fetch(new Request(input, init))
  }
  const mayRun = hasOwnSocket(needs.socket)
  if (mayRun && needs.databaseUrl !== undefined) await checkDatabase(needs, needs.databaseUrl)
  const chosen = mayRun ? orElse(watched(needs), inside, needs.socket) : inside
  return {
    client: createClient({ ...needs, fetch: chosen }),
    close: async () => (await local?.catch(() => undefined))?.close(),
  }
}

/** How long a daemon may take to describe itself before it counts as hanging. */
const probeTimeoutMs = 5000

/** The daemon's description of itself; undefined if none runs any more. */
async function describeDaemon({
  socket,
  random,
  actor,
}: ConnectOptions): Promise<Answer<"daemon"> | undefined> {
  const client = createClient({ fetch: socketFetch(socket, probeTimeoutMs), random, actor })
  return client.daemon().catch((error) => {
    if (isConnectionLost(error)) return undefined
    throw error
  })
}

/** After this time without an answer, the daemon is checked. */
const checkAfterMs = 500

/** Sends requests to the daemon. A slow answer may take its time; a daemon that hangs is an error. */
function watched(needs: ConnectOptions): Fetch {
  const ask = socketFetch(needs.socket)
  return async (url, init) => {
    let cancel = () => {}
    const hanging = new Promise<never>((_, reject) => {
      cancel = needs.clock.after(checkAfterMs, () => void describeDaemon(needs).catch(reject))
    })
    return Promise.race([ask(url, init), hanging]).finally(cancel)
  }
}

/** Throws if the daemon uses another database than REVERIE_DATABASE_URL. */
async function checkDatabase(needs: ConnectOptions, databaseUrl: string): Promise<void> {
  const daemon = await describeDaemon(needs)
  if (daemon === undefined) return
  const { databaseFingerprint } = await import("../api/fingerprint.ts")
  if (daemon.database === databaseFingerprint(databaseUrl)) return
  const advice = "unset it, or stop the daemon and start it with that set."
  throw new UserError(
    "conflict",
    `The daemon (pid ${daemon.pid}) uses another database than REVERIE_DATABASE_URL; ${advice}`,
  )
}

/**
 * Sends a request to the daemon. If there is none, or the connection is lost, it retries with the next daemon or in this
 * process. That is safe because the operation id makes each change happen once.
 */
function orElse(outside: Fetch, inside: Fetch, socket: string): Fetch {
  const isUp = () => isDaemonUp(socket)
  return async (input, init) => {
    // A stream can be sent only once.
    if (init?.streams && !(await isUp())) return inside(input, init)
    try {
      return await outside(input, init)
    } catch (error) {
      if (!isConnectionLost(error) || init?.streams) throw error
      return (await isUp()) ? outside(input, init) : inside(input, init)
    }
  }
}
