import { UserError } from "../../base/errors.ts"
import type { AppNeeds } from "../needs.ts"
import type { On } from "../routing.ts"

/** What is wrong with the installation, as the daemon sees it. */
export function doctorRoutes(on: On, { daemon }: AppNeeds): void {
  on("doctor", async () => {
    if (daemon?.examine === undefined)
      throw new UserError("not-running", "The daemon is not running; `reverie doctor` looks without it.")
    return { checks: await daemon.examine() }
  })
}
