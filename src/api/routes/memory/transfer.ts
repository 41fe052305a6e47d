import { Hono } from "hono"
import { streamText } from "../../../base/net/stream-text.ts"
import { requireProject } from "../../../memory/model/project.ts"
import { exportJson, exportMarkdown } from "../../../memory/transfer/export.ts"
import { importText } from "../../../memory/transfer/import.ts"
import { failureOf, schemaVersion } from "../../answers/answer.ts"
import { chunksOf, linesOf, longestLine } from "../../answers/lines.ts"
import { discardRest } from "../../body-limit.ts"
import { requests } from "../../contract/requests.ts"
import { byOf, queryOf } from "../../input.ts"
import type { AppNeeds } from "../../needs.ts"

/** Export and import as streams. */
export function transferRoutes(needs: AppNeeds): Hono {
  const routes = new Hono()
  routes.get("/export", async (context) => {
    const { format, project } = queryOf(context, requests.export)
    const json = format === "json"
    const only = project === undefined ? undefined : await requireProject(needs, project)
    const body = streamText((write) =>
      json ? exportJson(needs, write, only) : exportMarkdown(needs, write, only),
    )
    return context.body(body, 200, {
      "content-type": json ? "application/json" : "text/markdown; charset=utf-8",
    })
  })
  routes.post("/import", (context) => {
    const options = queryOf(context, requests.import)
    const by = byOf(context, needs)
    const reader = context.req.raw.body?.getReader()
    const lines = linesOf(reader ? chunksOf(reader) : null, longestLine)
    const body = streamText(async (write) => {
      const send = (line: object) => write(`${JSON.stringify(line)}\n`)
      // A client that disconnected needs no progress.
      const onProgress = (done: number) => void send({ done }).catch(() => undefined)
      try {
        const imported = await importText(needs, lines, by, { ...options, onProgress })
        await send({ result: { schemaVersion, ...imported } })
      } catch (error) {
        await send(failureOf(error, needs.log))
        if (reader) await discardRest(reader, needs.clock)
      }
    })
    return context.body(body, 200, { "content-type": "application/x-ndjson" })
  })
  return routes
}
