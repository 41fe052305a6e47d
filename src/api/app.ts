import { Hono } from "hono"
import { UserError } from "../base/errors.ts"
import { answerFailure } from "./answers/answer.ts"
import { limitBodies } from "./body-limit.ts"
import type { AppNeeds } from "./needs.ts"
import { refuseAgents } from "./refuse-agents.ts"
import { ambientRoutes, inboxRoutes } from "./routes/ambient.ts"
import { approveRoutes } from "./routes/approve.ts"
import { chatRoutes } from "./routes/chat.ts"
import { configRoutes } from "./routes/config.ts"
import { hookRoutes } from "./routes/hooks.ts"
import { followRoutes, journalRoutes } from "./routes/journal.ts"
import { controlRoutes } from "./routes/memory/control.ts"
import { insightRoutes } from "./routes/memory/insight.ts"
import { memoryRoutes } from "./routes/memory/memories.ts"
import { clusterRoutes, tagRoutes } from "./routes/memory/organise.ts"
import { transferRoutes } from "./routes/memory/transfer.ts"
import { modelRoutes } from "./routes/models.ts"
import { sessionRoutes } from "./routes/sessions.ts"
import { statusRoutes } from "./routes/status.ts"
import { todayRoutes } from "./routes/today.ts"
import { routeAdder } from "./routing.ts"

/** At most this many characters in one part of a path. */
const longestPart = 500

/** The API, which the daemon serves and a command uses in process if no daemon runs. */
export function createApp(needs: AppNeeds): Hono {
  const app = new Hono()
  app.use(limitBodies(needs))
  app.use(async (context, next) => {
    if (context.req.path.split("/").some((part) => part.length > longestPart)) {
      throw new UserError("not-found", "There is nothing with an id that long.")
    }
    await next()
  })
  app.use("/v1/*", refuseAgents(needs))
  const on = routeAdder(app, needs)
  statusRoutes(on, needs)
  // First: their paths have names where those of memoryRoutes take any id.
  insightRoutes(on, needs)
  controlRoutes(on, needs)
  app.route("/v1/memories", transferRoutes(needs))
  memoryRoutes(on, needs)
  clusterRoutes(on, needs)
  tagRoutes(on, needs)
  app.route("/v1/journal", followRoutes(needs))
  journalRoutes(on, needs)
  sessionRoutes(on, needs)
  modelRoutes(on, needs)
  ambientRoutes(on, needs)
  chatRoutes(on, needs)
  inboxRoutes(on, needs)
  todayRoutes(on, needs)
  configRoutes(on, needs)
  app.route("/v1/hooks", hookRoutes(needs))
  const { approvals } = needs
  if (approvals) app.route("/approve", approveRoutes({ ...needs, approvals }))
  app.notFound((context) => {
    const error = new UserError("not-found", `There is no ${context.req.method} ${context.req.path} here.`)
    return answerFailure(context, error, needs.log)
  })
  app.onError((error, context) => answerFailure(context, error, needs.log))
  return app
}
