import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, chownSync, mkdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { onTestFinished } from "vitest"
import { throwawayFolder } from "../program/home.ts"

/** Nobody, on every system we test on. */
const otherUser = 65_534

const script = `
const { appendFileSync, chmodSync } = require("node:fs")
const [, path, log, answer] = process.argv
require("node:net").createServer((socket) => {
  socket.on("error", () => {})
  socket.on("data", (part) => {
    appendFileSync(log, part)
    socket.end("HTTP/1.1 200 OK\\r\\ncontent-type: application/json\\r\\ncontent-length: " + answer.length +
      "\\r\\nconnection: close\\r\\n\\r\\n" + answer)
  })
}).listen(path, () => {
  chmodSync(path, 0o777)
  process.stdout.write("listening")
})`

/** Another user of this machine who waits on a socket for what is not theirs; `caught` is what they were told. */
export async function openForeignSocket(
  socket: string,
  answer: string,
  { folder = "theirs" }: { folder?: "theirs" | "open to all" } = {},
): Promise<{ caught(): string }> {
  const log = join(throwawayFolder(), "caught")
  chmodSync(dirname(log), 0o777)
  mkdirSync(dirname(socket), { recursive: true })
  if (folder === "theirs") chownSync(dirname(socket), otherUser, otherUser)
  else chmodSync(dirname(socket), 0o777)
  const child = spawn(process.execPath, ["-e", script, socket, log, answer], {
    uid: otherUser,
    stdio: ["ignore", "pipe", "inherit"],
    cwd: "/",
  })
  onTestFinished(() => void child.kill("SIGKILL"))
  await once(child.stdout, "data")
  return {
    caught() {
      try {
        return readFileSync(log, "utf8")
      } catch {
        return ""
      }
    },
  }
}
