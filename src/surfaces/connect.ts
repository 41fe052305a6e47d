import { type Ask, isCutOff } from "../api/ask.ts"
import { type Client, createClient } from "../api/client.ts"
import type { Answer } from "../api/contract/answers.ts"
import { isSocketOurs, probeSocket, socketFetch } from "../api/socket-fetch.ts"
import type { Clock } from "../base/clock.ts"
import { UserError } from "../base/errors.ts"
import type { Random } from "../base/random.ts"

/** The product opened in this process. */
export interface InProcess {
  app: { fetch(request: Request): Response | Promise<Response> }
  close(): Promise<void>
}

interface ConnectNeeds {
  socket: string
  clock: Clock
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
  const inside: Ask = async (input, init) => {
    local ??= needs.openLocal()
    return (await local).app.fetch(new Request(input, init))
  }
  const mayRun = isSocketOurs(needs.socket)
  if (mayRun && needs.databaseUrl !== undefined) await checkDatabase(needs, needs.databaseUrl)
  const chosen = mayRun ? orElse(watched(needs), inside, needs.socket) : inside
  return {
    client: createClient({ ...needs, fetch: chosen }),
    close: async () => (await local?.catch(() => undefined))?.close(),
  }
}

/** How long a daemon may take to say who it is before it counts as hanging. */
const meetingMs = 5000

/** Asks the daemon who it is; undefined where none runs any more. */
async function meet({ socket, random, actor }: ConnectNeeds): Promise<Answer<"daemon"> | undefined> {
  const client = createClient({ fetch: socketFetch(socket, meetingMs), random, actor })
  return client.daemon().catch((error) => {
    if (isCutOff(error)) return undefined
    throw error
  })
}

/** After this time without an answer it is asked whether the daemon answers at all. */
const doubtMs = 500

/** Asks the daemon. One that takes long over its answer may go on; one that hangs is told from it and given up. */
function watched(needs: ConnectNeeds): Ask {
  const ask = socketFetch(needs.socket)
  return async (url, init) => {
    let callOff = () => {}
    const hanging = new Promise<never>((_, reject) => {
      callOff = needs.clock.after(doubtMs, () => void meet(needs).catch(reject))
    })
    return Promise.race([ask(url, init), hanging]).finally(callOff)
  }
}

/** Makes sure that the daemon uses the database this process was told to use. */
async function checkDatabase(needs: ConnectNeeds, databaseUrl: string): Promise<void> {
  const met = await meet(needs)
  if (met === undefined) return
  const { databaseFingerprint } = await import("../api/fingerprint.ts")
  if (met.database === databaseFingerprint(databaseUrl)) return
  const advice = "unset it, or stop the daemon and start it with that set."
  throw new UserError(
    "conflict",
    `The daemon (pid ${met.pid}) uses another database than REVERIE_DATABASE_URL says; ${advice}`,
  )
}

/**
 * Asks the daemon, and if there is none, or it goes away in the middle, asks again: the next daemon, or in process. That
 * is safe because every act carries its operation id and is done once.
 */
function orElse(outside: Ask, inside: Ask, socket: string): Ask {
  const isUp = async () => (await probeSocket(socket)) === "listening"
  return async (input, init) => {
    // What is read from a file or a pipe can be sent once.
    if (init?.streams && !(await isUp())) return inside(input, init)
    try {
      return await outside(input, init)
    } catch (error) {
      if (!isCutOff(error) || init?.streams) throw error
      return (await isUp()) ? outside(input, init) : inside(input, init)
    }
  }
}
