import { once } from "node:events"
import { connect } from "node:net"

interface Heard {
  from: string
  target: string
  text: string
  command: "PRIVMSG" | "NOTICE"
}

/** A client made of a socket and nothing else, so that it shares no mistake with the library we use. */
export type RawClient = Awaited<ReturnType<typeof joinRaw>>

/** Connects with a nick and joins a channel. */
export async function joinRaw(port: number, nick: string, channel?: string) {
  const socket = connect(port, "127.0.0.1")
  const lines: string[] = []
  const waiting = new Set<() => void>()
  let rest = ""
  const write = (line: string) => socket.write(`${line}\r\n`)
  socket.on("error", () => undefined)
  socket.on("data", (data) => {
    const parts = (rest + data.toString("latin1")).split("\r\n")
    rest = parts.pop() ?? ""
    for (const part of parts) {
      const line = Buffer.from(part, "latin1").toString("utf8")
      lines.push(line)
      if (line.startsWith("PING ")) write(`PONG ${line.slice(5)}`)
    }
    for (const look of [...waiting]) look()
  })
  await once(socket, "connect")
  write(`NICK ${nick}`)
  write(`USER ${nick} 0 * :${nick}`)
  const client = {
    nick,
    /** All that came, as it came. */
    lines,
    write,
    writeBytes: (bytes: Buffer) => socket.write(bytes),
    say: (target: string, text: string) => write(`PRIVMSG ${target} :${text}`),
    /** What was said where we could hear it, by others. */
    heard: (): Heard[] =>
      lines.flatMap((line) => {
        const match = /^:([^! ]+)\S* (PRIVMSG|NOTICE) (\S+) :(.*)$/s.exec(line)
        if (match === null) return []
        const [, from = "", command = "", target = "", text = ""] = match
        return [{ from, target, text, command: command as Heard["command"] }]
      }),
    until(holds: () => boolean): Promise<void> {
      return new Promise((resolve) => {
        const look = () => {
          if (!holds()) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
      })
    },
    /** Waits for a line of this form. */
    sees: (pattern: RegExp) => client.until(() => lines.some((line) => pattern.test(line))),
    close: () => void socket.destroy(),
  }
  await client.sees(/ 001 /)
  if (channel !== undefined) {
    write(`JOIN ${channel}`)
    await client.sees(/ 366 /)
  }
  return client
}
