import { onTestFinished } from "vitest"
import { type ModelServer, startModelServer } from "./model-server.ts"

/** A model server for one test: it is closed when the test ends, and the script must have been played to its end. */
export async function serveModel(options?: Parameters<typeof startModelServer>[0]): Promise<ModelServer> {
  const server = await startModelServer(options)
  onTestFinished(async () => {
    await server.close()
    server.done()
  })
  return server
}
