import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import { type WebSocket, WebSocketServer } from "ws"
import type { Payload } from "./world.ts"

/** What the gateway asks whoever holds the world. */
export interface GatewayNeeds {
  token: string
  heartbeatMs: number
  /** Whether bots may ask for the content of messages; if not, those who ask are sent away with 4014. */
  mayReadContent(): boolean
  /** What READY says beside the session. */
  ready(): Payload
  /** The events that follow READY at once. */
  greeting(): Event[]
  /** The event as a session with these intents may see it; undefined if it may not. */
  seenBy(event: Event, intents: number): Event | undefined
  address(): string
  changed(): void
}

export interface Event {
  t: string
  d: Payload
}

interface Session {
  id: string
  intents: number
  sequence: number
  sent: { s: number; t: string; d: Payload }[]
  socket: WebSocket | null
}

/** What clients did on the gateway, counted. */
interface GatewayCounts {
  identified: number
  resumed: number
  heartbeats: number
  /** Resumes that were refused. */
  refusedResumes: number
}

export const messageContentIntent = 1 << 15

/** Discord's gateway: identify, heartbeat, resume with replay, and all the ways in which it goes wrong. */
export function createGateway(needs: GatewayNeeds) {
  const server = new WebSocketServer({ noServer: true })
  const sessions = new Map<string, Session>()
  const sockets = new Set<WebSocket>()
  const counts: GatewayCounts = { identified: 0, resumed: 0, heartbeats: 0, refusedResumes: 0 }
  const behaviour = { answersHeartbeats: true, takesConnections: true, closeIdentifyWith: 0 }

  const send = (socket: WebSocket, packet: Payload) => socket.send(JSON.stringify(packet))

  const deliver = (session: Session, event: Event) => {
    const seen = needs.seenBy(event, session.intents)
    if (seen === undefined) return
    session.sequence += 1
    const packet = { s: session.sequence, t: seen.t, d: seen.d }
    session.sent.push(packet)
    if (session.socket) send(session.socket, { op: 0, ...packet })
  }

  const identify = (socket: WebSocket, d: Payload) => {
    counts.identified += 1
    const intents = Number(d.intents)
    if (d.token !== needs.token) return socket.close(4004, "Authentication failed.")
    if (intents & messageContentIntent && !needs.mayReadContent())
      return socket.close(4014, "Disallowed intent(s).")
    if (behaviour.closeIdentifyWith) return socket.close(behaviour.closeIdentifyWith)
    const id = `session-${counts.identified}`
    const session: Session = { id, intents, sequence: 0, sent: [], socket }
    sessions.set(id, session)
    const ready = { ...needs.ready(), v: 10, session_id: id, resume_gateway_url: needs.address() }
    deliver(session, { t: "READY", d: ready })
    for (const event of needs.greeting()) deliver(session, event)
    return undefined
  }

  const resume = (socket: WebSocket, d: Payload) => {
    const session = sessions.get(String(d.session_id))
    if (session === undefined || d.token !== needs.token) {
      counts.refusedResumes += 1
      return send(socket, { op: 9, d: false })
    }
    counts.resumed += 1
    session.socket = socket
    for (const packet of session.sent) if (packet.s > Number(d.seq)) send(socket, { op: 0, ...packet })
    return deliver(session, { t: "RESUMED", d: {} })
  }

  const takePacket = (socket: WebSocket, { op, d }: { op: number; d: Payload }) => {
    if (op === 1) {
      counts.heartbeats += 1
      if (behaviour.answersHeartbeats) send(socket, { op: 11 })
    } else if (op === 2) identify(socket, d)
    else if (op === 6) resume(socket, d)
    needs.changed()
  }

  server.on("connection", (socket: WebSocket) => {
    sockets.add(socket)
    socket.on("error", () => undefined)
    socket.on("close", () => {
      sockets.delete(socket)
      for (const session of sessions.values()) if (session.socket === socket) session.socket = null
      needs.changed()
    })
    socket.on("message", (data) => takePacket(socket, JSON.parse(String(data))))
    send(socket, { op: 10, d: { heartbeat_interval: needs.heartbeatMs } })
  })

  return {
    counts,
    behaviour,
    /** How many sessions have a connection now. */
    connected: () => [...sessions.values()].filter(({ socket }) => socket !== null).length,
    upgrade(request: IncomingMessage, socket: Duplex, head: Buffer) {
      if (!behaviour.takesConnections) return void socket.destroy()
      server.handleUpgrade(request, socket, head, (opened) => server.emit("connection", opened, request))
    },
    dispatch(event: Event) {
      for (const session of sessions.values()) deliver(session, event)
      needs.changed()
    },
    /** Sends the last event of each session a second time, as a gateway may. */
    repeatLast() {
      for (const { sent, socket } of sessions.values()) {
        const last = sent.at(-1)
        if (last && socket) send(socket, { op: 0, ...last })
      }
    },
    /** Cuts all connections without a word. */
    cut() {
      for (const socket of sockets) socket.terminate()
    },
    closeWith(code: number) {
      for (const socket of sockets) socket.close(code)
    },
    /** Forgets the sessions: the next resume is refused. */
    forgetSessions() {
      sessions.clear()
    },
    /** Asks clients to connect anew (op 7). */
    askToReconnect() {
      for (const socket of sockets) send(socket, { op: 7, d: null })
    },
    /** Tells clients that their session is void (op 9). */
    invalidate(isResumable: boolean) {
      if (!isResumable) sessions.clear()
      for (const socket of sockets) send(socket, { op: 9, d: isResumable })
    },
    close() {
      for (const socket of sockets) socket.terminate()
      server.close()
    },
  }
}
