import { isoTime } from "../../base/clock.ts"
import { UserError } from "../../base/errors.ts"
import type { AppNeeds } from "../needs.ts"
import type { On } from "../routing.ts"

/** Links that sign a browser in. */
export function webLinkRoutes(on: On, needs: AppNeeds): void {
  on("webLink", () => {
    if (!needs.daemon)
      throw new UserError("not-running", "The daemon is not running; `reverie start` starts it.")
    const { url } = needs.daemon.info()
    const { signIn } = needs.daemon
    if (url === null || signIn === undefined) {
      const advice = "set api.http to true and restart the daemon."
      throw new UserError(
        "refused",
        `The dashboard needs the loopback address, which is switched off; ${advice}`,
      )
    }
    const { code, expiresAt } = signIn.newCode()
    // Behind the #: what stands there is never sent to a server, nor kept in its log.
    return { url: `${url}/#sign-in=${code}`, address: url, expiresAt: isoTime(expiresAt) }
  })
}
