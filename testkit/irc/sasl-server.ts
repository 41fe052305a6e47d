import { once } from "node:events"
import { createServer, type Socket } from "node:net"

/** A server that asks for SASL, which Debian's does not know: just enough of IRC to sign in and join. */
export async function serveSasl(accounts: Record<string, string>) {
  const seen: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on("error", () => undefined)
    let nick = "*"
    const answer = (line: string) => void socket.write(`:sasl.test ${line}\r\n`)
    const take = (line: string) => {
      seen.push(line)
      const [command = "", ...rest] = line.split(" ")
      if (command === "NICK") nick = rest[0] ?? nick
      for (const reply of repliesTo(command, rest.join(" "), nick, accounts)) answer(reply)
      if (command === "JOIN") socket.write(`:${nick}!u@h JOIN ${rest[0]}\r\n`)
    }
    socket.on("data", (data) => {
      for (const line of data.toString().split("\r\n")) if (line !== "") take(line)
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("no port")
  return {
    port: address.port,
    /** The lines clients sent. */
    seen,
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

function repliesTo(command: string, rest: string, nick: string, accounts: Record<string, string>): string[] {
  if (command === "CAP" && rest.startsWith("LS")) return [`CAP ${nick} LS :sasl=PLAIN`]
  if (command === "CAP" && rest.startsWith("REQ")) return [`CAP ${nick} ACK :sasl`]
  if (command === "CAP" && rest === "END") return [`001 ${nick} :Welcome`, `376 ${nick} :End`]
  if (command === "PING") return [`PONG sasl.test :${rest}`]
  if (command !== "AUTHENTICATE") return []
  if (rest === "PLAIN") return ["AUTHENTICATE +"].map((line) => line)
  const [, account = "", password = ""] = Buffer.from(rest, "base64").toString().split("\0")
  if (accounts[account] !== password) return [`904 ${nick} :SASL authentication failed`]
  return [`900 ${nick} ${nick}!u@h ${account} :You are now logged in`, `903 ${nick} :Success`]
}
