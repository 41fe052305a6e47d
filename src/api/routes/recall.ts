import { findProjects } from "../../memory/model/project.ts"
import { openGaps } from "../../memory/write/gaps.ts"
import { isoTimes } from "../contract/iso-times.ts"
import type { AppNeeds } from "../needs.ts"
import type { On } from "../routing.ts"

/** Recall for any agent that can make a request. Each answer comes at once. */
export function recallRoutes(on: On, needs: AppNeeds): void {
  on("recallStart", ({ session }) => needs.recall.start(session))
  on("recallTurn", async ({ session, happening, observe }) => {
    if (!observe) return needs.recall.turn(session, happening)
    await needs.recall.observe(session, happening)
    return { memories: [], text: "" }
  })
  on("recallEnd", async ({ session }) => {
    await needs.recall.end(session)
    return { outcome: "ended" }
  })
  on("recallPreview", async ({ session, text }) => {
    await needs.beforeSearch?.()
    return needs.recall.preview(session, text)
  })
  on("gaps", async ({ project, limit }) => {
    const [known = null] =
      project === undefined ? [] : await findProjects(needs.db, await needs.projects.find(project))
    const gaps = await openGaps(needs.db, project === undefined ? {} : { projects: [known] }, limit)
    return { gaps: gaps.map(isoTimes) }
  })
}
