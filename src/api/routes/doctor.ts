import { Hono } from "hono"
import { UserError } from "../../base/errors.ts"
import { schemaVersion } from "../answers/answer.ts"
import type { DoctorAnswer } from "../contract.ts"
import type { AppNeeds } from "../needs.ts"

/** What is wrong with the installation, as the daemon sees it. */
export function doctorRoutes({ daemon }: AppNeeds): Hono {
  const routes = new Hono()
  routes.get("/", async (context) => {
    if (daemon?.examine === undefined)
      throw new UserError("not-running", "The daemon is not running; `reverie doctor` looks without it.")
    return context.json<DoctorAnswer>({ schemaVersion, checks: await daemon.examine() })
  })
  return routes
}
