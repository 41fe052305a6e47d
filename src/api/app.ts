import { Hono } from "hono"
import { UserError } from "../base/errors.ts"
import { refuseAgents } from "./agents-may.ts"
import { answerFailure } from "./answers/answer.ts"
import { limitBodies } from "./body-limit.ts"
import type { AppNeeds } from "./needs.ts"
import { ambientRoutes } from "./routes/ambient.ts"
import { approveRoutes } from "./routes/approve.ts"
import { chatRoutes } from "./routes/chat.ts"
import { configRoutes } from "./routes/config.ts"
import { credentialRoutes } from "./routes/credentials.ts"
import { doctorRoutes } from "./routes/doctor.ts"
import { extractRoutes } from "./routes/extract.ts"
import { hookRoutes } from "./routes/hooks.ts"
import { inboxRoutes } from "./routes/inbox.ts"
import { journalRoutes } from "./routes/journal.ts"
import { controlRoutes } from "./routes/memory/control.ts"
import { insightRoutes } from "./routes/memory/insight.ts"
import { memoryRoutes } from "./routes/memory/memories.ts"
import { clusterRoutes, tagRoutes } from "./routes/memory/organise.ts"
import { modelRoutes } from "./routes/models.ts"
import { recallRoutes } from "./routes/recall.ts"
import { sessionRoutes } from "./routes/sessions.ts"
import { snapshotRoutes } from "./routes/snapshots.ts"
import { statusRoutes } from "./routes/status.ts"
import { todayRoutes } from "./routes/today.ts"
import { webLinkRoutes } from "./web/links.ts"

/** Longer than any id or name that stands in a path. */
const longestPart = 500

/** The API: what the daemon serves, and what a command uses in process when no daemon runs. */
export function createApp(needs: AppNeeds): Hono {
  const app = new Hono()
  app.use(limitBodies(needs))
  app.use(async (context, next) => {
    if (context.req.path.split("/").some((part) => part.length > longestPart)) {
      throw new UserError("not-found", "There is nothing with so long an id.")
    }
    await next()
  })
  app.use("/v1/*", refuseAgents(needs))
  app.route("/v1", statusRoutes(needs))
  // Before the others: these have names where those take any id.
  app.route("/v1/memories", insightRoutes(needs))
  app.route("/v1/memories", controlRoutes(needs))
  app.route("/v1/memories", memoryRoutes(needs))
  app.route("/v1/clusters", clusterRoutes(needs))
  app.route("/v1/tags", tagRoutes(needs))
  app.route("/v1/journal", journalRoutes(needs))
  app.route("/v1/sessions", sessionRoutes(needs))
  app.route("/v1/recall", recallRoutes(needs))
  app.route("/v1/sessions", extractRoutes(needs))
  app.route("/v1/snapshots", snapshotRoutes(needs))
  app.route("/v1/credentials", credentialRoutes(needs))
  app.route("/v1", modelRoutes(needs))
  app.route("/v1", ambientRoutes(needs))
  app.route("/v1/chat", chatRoutes(needs))
  app.route("/v1/inbox", inboxRoutes(needs))
  app.route("/v1/today", todayRoutes(needs))
  app.route("/v1/config", configRoutes(needs))
  app.route("/v1/doctor", doctorRoutes(needs))
  app.route("/v1/web", webLinkRoutes(needs))
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
