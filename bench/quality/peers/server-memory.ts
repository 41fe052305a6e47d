import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Readable } from "node:stream"
import { linesOf } from "../../../src/api/answers/lines.ts"
import { peerFile } from "../../peers/load.ts"
import { answerOf } from "../system.ts"
import type { Peer } from "./peer.ts"

const program = peerFile("@modelcontextprotocol/server-memory", "dist", "index.js")
const entitiesInCall = 1000

interface ToolResult {
  structuredContent?: { entities?: { name: string }[] }
}

/** The reference memory server of the Model Context Protocol, over stdio; what matches comes unranked. */
export const serverMemory: Peer = {
  name: "server-memory",
  async prepare({ folder }) {
    if (!existsSync(program)) throw new Error("it is not installed")
    return {
      name: "server-memory",
      async open(items) {
        const server = await startServer(join(folder(), "memory.jsonl"))
        for (let from = 0; from < items.length; from += entitiesInCall) {
          const entities = items.slice(from, from + entitiesInCall).map(({ sourceId, content }) => ({
            name: sourceId,
            entityType: "message",
            observations: [content],
          }))
          await server.call("create_entities", { entities })
        }
        return {
          async search(query, limit) {
            const { structuredContent } = await server.call("search_nodes", { query })
            const found = structuredContent?.entities ?? []
            return answerOf(found.slice(0, limit).map(({ name }) => ({ sourceId: name, score: 1 })))
          },
          close: server.close,
        }
      },
    }
  },
}

async function startServer(file: string) {
  const env = { ...process.env, MEMORY_FILE_PATH: file }
  const child = spawn(process.execPath, [program], { env, stdio: ["pipe", "pipe", "pipe"] })
  const request = jsonRpc(child)
  await request("initialize", {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "reverie-bench", version: "0" },
  })
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`)
  return {
    call: async (name: string, args: object) =>
      (await request("tools/call", { name, arguments: args })) as ToolResult,
    async close() {
      child.stdin.end()
      child.kill()
      if (child.exitCode === null && child.signalCode === null) await once(child, "close")
    },
  }
}

interface Response {
  id?: number
  result?: unknown
  error?: { message: string }
}

/** Requests as lines of JSON, answered by id; a server that ends fails what is waiting. */
function jsonRpc(child: ChildProcessWithoutNullStreams) {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  let lastId = 0
  let notes = ""
  child.stderr.on("data", (text) => {
    notes = `${notes}${text}`.slice(-500)
  })
  const settle = (line: string) => {
    const { id, result, error } = JSON.parse(line) as Response
    const asked = id === undefined ? undefined : waiting.get(id)
    if (error) asked?.reject(new Error(`server-memory: ${error.message}`))
    else asked?.resolve(result)
    if (id !== undefined) waiting.delete(id)
  }
  const reading = (async () => {
    for await (const line of linesOf(Readable.toWeb(child.stdout))) settle(line)
  })()
  const failAll = (reason: unknown) => {
    for (const asked of waiting.values())
      asked.reject(new Error(`server-memory has ended: ${notes}`, { cause: reason }))
  }
  reading.then(failAll, failAll)
  return (method: string, params: object): Promise<unknown> => {
    lastId += 1
    const asked = Promise.withResolvers<unknown>()
    waiting.set(lastId, asked)
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: lastId, method, params })}\n`)
    return asked.promise
  }
}
