import { once } from "node:events"
import { createServer, type RequestListener } from "node:http"
import { onTestFinished } from "vitest"

/** Answers on a free port until the test ends; gives its address, without a slash at the end. */
export async function serveHttp(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("the server has no port")
  return `http://127.0.0.1:${address.port}`
}
