import { type Client, createClient } from "../api/client.ts"
import { isCutOff } from "../api/cut-off.ts"
import { databaseFingerprint } from "../api/fingerprint.ts"
import { probeSocket, socketFetch } from "../api/socket-fetch.ts"
import { UserError } from "../base/errors.ts"
import type { Random } from "../base/random.ts"

/** The product opened in this process. */
export interface InProcess {
  app: { fetch(request: Request): Response | Promise<Response> }
  close(): Promise<void>
}

interface ConnectNeeds {
  socket: string
  random: Random
  actor: string
  /** The session of the agent that acts, where one does. */
  session?: string | undefined
  /** REVERIE_DATABASE_URL, if it is set. */
  databaseUrl: string | undefined
  openLocal(): Promise<InProcess>
  /** Hears what users should know beside an answer. */
  onNotice?: (text: string) => void
}

/** A client, and how to let go of whatever was opened for it. */
export interface Connection {
  client: Client
  close(): Promise<void>
}

/** Connects to the daemon, or opens the product in process when none runs: the same client either way. */
export async function connect(needs: ConnectNeeds): Promise<Connection> {
  let local: Promise<InProcess> | undefined
  const inside: typeof fetch = async (input, init) => {
    local ??= needs.openLocal()
    return (await local).app.fetch(new Request(input, init))
  }
  const daemon = (await probeSocket(needs.socket)) === "listening"
  if (daemon) await meet(needs)
  const chosen = daemon ? orElse(socketFetch(needs.socket), inside, needs.socket) : inside
  return {
    client: createClient({ ...needs, fetch: chosen }),
    close: async () => (await local?.catch(() => undefined))?.close(),
  }
}

/** How long a daemon may take to say who it is before it counts as hanging. */
const meetingMs = 5000

/** Makes sure that the daemon answers, and that it uses the database this process was told to use. */
async function meet({ socket, random, actor, databaseUrl }: ConnectNeeds): Promise<void> {
  const client = createClient({ fetch: socketFetch(socket, meetingMs), random, actor })
  const { database, pid } = await client.daemon().catch((error) => {
    if (isCutOff(error)) return { database: undefined, pid: 0 }
    throw error
  })
  if (databaseUrl === undefined || database === undefined) return
  if (database === databaseFingerprint(databaseUrl)) return
  const advice = "unset it, or stop the daemon and start it with that set."
  throw new UserError(
    "conflict",
    `The daemon (pid ${pid}) uses another database than REVERIE_DATABASE_URL says; ${advice}`,
  )
}

/**
 * Asks the daemon, and if it goes away in the middle asks again: the next daemon, or in process. That is safe
 * because every act carries its operation id and is done once.
 */
function orElse(outside: typeof fetch, inside: typeof fetch, socket: string): typeof fetch {
  return async (input, init) => {
    try {
      return await outside(input, init)
    } catch (error) {
      if (!isCutOff(error) || init?.body instanceof ReadableStream) throw error
      return (await probeSocket(socket)) === "listening" ? outside(input, init) : inside(input, init)
    }
  }
}
