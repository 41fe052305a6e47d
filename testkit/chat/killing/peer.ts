import { createServer, type Socket } from "node:net"
import { createInterface } from "node:readline"
import type { ChannelEvent, ChatMessage, RoomRef } from "../../../src/chat/channels/channel.ts"
import { roomKey } from "../../../src/chat/conversation/state.ts"

/** A platform that outlives the program in its rooms, and keeps everything that was said there. */
export interface Peer {
  port: number
  posts: { room: string; key: string; text: string }[]
  messages: ChatMessage[]
  say(room: RoomRef, mentionsUs: boolean): void
  /** Settles when the next program has connected. */
  connected(): Promise<void>
  close(): void
}

/** Starts it; answers come `delay` milliseconds after what was asked is done. */
export async function startPeer(delay: () => number): Promise<Peer> {
  const logs = new Map<string, ChatMessage[]>()
  const posts: Peer["posts"] = []
  const messages: ChatMessage[] = []
  let current: Socket | undefined
  let onConnected = () => {}
  let made = 0
  const logOf = (room: RoomRef) => {
    const log = logs.get(roomKey(room)) ?? []
    logs.set(roomKey(room), log)
    return log
  }
  const add = (room: RoomRef, changes: Partial<ChatMessage>): ChatMessage => {
    made += 1
    const author = { id: `person${made % 97}`, name: "somebody", isBot: false }
    const flags = { mentionsUs: false, isPrivate: false, isVoice: false, isOurs: false }
    const base = { id: `m${made}`, room, author, text: `word ${made}`, at: Date.now(), replyTo: null }
    const message = { ...base, ...flags, ...changes }
    logOf(room).push(message)
    return message
  }
  const tell = (event: ChannelEvent) => current?.write(`${JSON.stringify({ event })}\n`)
  const answer = (asked: Asked): unknown => {
    if (asked.do === "history") {
      const log = logOf(asked.room)
      const from = asked.after === undefined ? 0 : log.findIndex(({ id }) => id === asked.after) + 1
      return asked.after === undefined ? log.slice(-asked.limit) : log.slice(from, from + asked.limit)
    }
    if (asked.do !== "send") return null
    posts.push({ room: roomKey(asked.room), key: asked.key, text: asked.text })
    const author = { id: "us", name: "Reverie", isBot: true }
    const own = add(asked.room, { text: asked.text, author, isOurs: true })
    tell({ kind: "message", message: own })
    return { outcome: "sent", ids: [own.id] }
  }
  const server = createServer((socket) => {
    socket.on("error", () => {})
    socket.on("close", () => {
      if (current === socket) current = undefined
    })
    const lines = createInterface({ input: socket }).on("error", () => {})
    lines.on("line", (line) => {
      const asked: Asked = JSON.parse(line)
      const value = answer(asked)
      const reply = () => {
        if (!socket.destroyed) socket.write(`${JSON.stringify({ id: asked.id, value })}\n`)
      }
      if (asked.do !== "start") return void setTimeout(reply, delay())
      current = socket
      reply()
      onConnected()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    posts,
    messages,
    say(room, mentionsUs) {
      const message = add(room, { mentionsUs })
      messages.push(message)
      tell({ kind: "message", message })
    },
    connected: () =>
      new Promise((resolve) => {
        onConnected = resolve
      }),
    close() {
      current?.destroy()
      server.close()
    },
  }
}

type Asked = { id: number; room: RoomRef } & (
  | { do: "start" }
  | { do: "history"; limit: number; after?: string }
  | { do: "send"; text: string; key: string }
)
