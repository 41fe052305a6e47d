import { connect } from "node:net"
import type { Clock } from "../base/clock.ts"
import { messageOf } from "../base/errors.ts"
import { readConfig } from "../config/load.ts"
import type { Host } from "../config/paths.ts"
import type { Notifier } from "../safety/notify/notice.ts"
import { openNotifiers } from "../safety/notify/open-notifiers.ts"
import { type Check, good, warning } from "./check.ts"

const patienceMs = 3000

/** Checks which notification channels are set up, and whether their servers answer. Sends nothing. */
export async function checkNotify({ env, paths, clock }: Host): Promise<Check[]> {
  try {
    const { config } = readConfig(paths.configFile)
    const { platform } = process
    const { credentialsFile } = paths
    const { notifiers, problems } = openNotifiers({ env, clock, config, credentialsFile, fetch, platform })
    const unreached = (await Promise.all(notifiers.map((one) => problemWithServer(clock, one)))).flat()
    if (problems.length + unreached.length === 0) return [good("notify", summary(notifiers))]
    return [
      ...problems.map((problem) => warning("notify", problem, "")),
      ...unreached.map((problem) => warning("notify", problem, "Check its address and your connection.")),
    ]
  } catch (error) {
    return [warning("notify", messageOf(error), "")]
  }
}

function summary(notifiers: readonly Notifier[]): string {
  if (notifiers.length === 0) return "none is set up; `reverie inbox` has what waits for you"
  return notifiers.map(({ id, isPrivate }) => (isPrivate ? id : `${id} (counts only)`)).join(", ")
}

async function problemWithServer(clock: Clock, { id, server }: Notifier): Promise<string[]> {
  if (server === undefined || (await isReached(clock, server))) return []
  return [`${server.host}:${server.port}, the server of ${id}, cannot be reached`]
}

function isReached(clock: Clock, server: { host: string; port: number }): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(server)
    const end = (answer: boolean) => {
      cancel()
      socket.destroy()
      resolve(answer)
    }
    const cancel = clock.after(patienceMs, () => end(false))
    socket.once("connect", () => end(true))
    socket.once("error", () => end(false))
  })
}
