import { Hono } from "hono"
import { isoTime } from "../../base/clock.ts"
import { findProjects } from "../../memory/model/project.ts"
import { openGaps } from "../../memory/write/gaps.ts"
import { schemaVersion } from "../answers/answer.ts"
import {
  type GapsAnswer,
  type RecallEndedAnswer,
  type RecallPreviewAnswer,
  requests,
  type SurfacedAnswer,
} from "../contract.ts"
import { bodyOf, queryOf } from "../input.ts"
import type { AppNeeds } from "../needs.ts"

/** Recall for any agent that can make a request. Each answer comes at once. */
export function recallRoutes(needs: AppNeeds): Hono {
  const routes = new Hono()
  routes.post("/start", async (context) => {
    const { session } = await bodyOf(context, requests.recallStart)
    return context.json<SurfacedAnswer>({ schemaVersion, ...(await needs.recall.start(session)) })
  })
  routes.post("/turn", async (context) => {
    const { session, happening, observe } = await bodyOf(context, requests.recallTurn)
    if (!observe)
      return context.json<SurfacedAnswer>({
        schemaVersion,
        ...(await needs.recall.turn(session, happening)),
      })
    await needs.recall.observe(session, happening)
    return context.json<SurfacedAnswer>({ schemaVersion, memories: [], text: "" })
  })
  routes.post("/end", async (context) => {
    const { session } = await bodyOf(context, requests.recallEnd)
    await needs.recall.end(session)
    return context.json<RecallEndedAnswer>({ schemaVersion, outcome: "ended" })
  })
  routes.post("/preview", async (context) => {
    const { session, text } = await bodyOf(context, requests.recallPreview)
    await needs.beforeSearch?.()
    return context.json<RecallPreviewAnswer>({
      schemaVersion,
      ...(await needs.recall.preview(session, text)),
    })
  })
  routes.get("/gaps", async (context) => {
    const { project, limit } = queryOf(context, requests.gaps)
    const [known = null] =
      project === undefined ? [] : await findProjects(needs.db, await needs.projects.find(project))
    const gaps = await openGaps(needs.db, project === undefined ? {} : { projects: [known] }, limit)
    return context.json<GapsAnswer>({
      schemaVersion,
      gaps: gaps.map((gap) => ({ ...gap, at: isoTime(gap.at) })),
    })
  })
  return routes
}
