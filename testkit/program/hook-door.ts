import { readFileSync } from "node:fs"
import { Hono } from "hono"
import { onTestFinished } from "vitest"
import { answerFailure } from "../../src/api/answers/answer.ts"
import { hookRoutes } from "../../src/api/routes/hooks.ts"
import { serveLoopback, serveSocket } from "../../src/api/serve.ts"
import { systemClock } from "../../src/base/clock.ts"
import { silentLog } from "../../src/base/log.ts"
import type { RecallForHooks } from "../../src/coding/hooks/answer-hook.ts"
import type { Installation } from "./program.ts"

/** The daemon's doors with only the hooks behind them, over a recall of the test's choice. */
export async function openHookDoor({ paths }: Installation, recall: RecallForHooks): Promise<void> {
  const door = await serveSocket({ app: hookApp(recall), socket: paths.socket, clock: systemClock })
  onTestFinished(() => door.close())
}

/** The same on a loopback port, behind the installation's token; gives the address. */
export async function openHookPort(
  { paths }: Installation,
  recall: RecallForHooks,
  port = 0,
): Promise<string> {
  const { token } = JSON.parse(readFileSync(paths.installFile, "utf8"))
  const app = hookApp(recall)
  const door = await serveLoopback({ app, port, token, log: silentLog, clock: systemClock })
  onTestFinished(() => door.close())
  return door.address
}

function hookApp(recall: RecallForHooks): Hono {
  const app = new Hono().route("/v1/hooks", hookRoutes({ recall, log: silentLog }))
  app.onError((error, context) => answerFailure(context, error, silentLog))
  return app
}
