import { messageOf } from "../../base/errors.ts"
import { openChannels } from "../../chat/channels/open-channels.ts"
import { readConfig } from "../../config/load.ts"
import type { Host } from "../../config/paths.ts"
import { type Check, failure, good, warning } from "../check.ts"

/** The state of the channels, as the daemon reports it. */
export interface ChatConnections {
  channels: { platform: string; state: string; problem: string | null }[]
  problems: string[]
}

/** Checks that the enabled chat channels are set up and connected. */
export async function checkChat(
  needs: Host & {
    /** Null if no daemon runs. */
    askChat(): Promise<ChatConnections | null>
  },
): Promise<Check[]> {
  try {
    const { config } = readConfig(needs.paths.configFile)
    const open = { ...needs, credentialsFile: needs.paths.credentialsFile }
    const { channels, problems } = openChannels(open, config.chat)
    if (channels.length === 0 && problems.length === 0) return [good("chat", "no channel is switched on")]
    const missing = problems.map((problem) => failure("chat", problem, ""))
    const connections = await needs.askChat()
    const each = channels.map(({ platform }) => checkChannel(platform, connections))
    return [...missing, ...each]
  } catch (error) {
    return [warning("chat", messageOf(error), "")]
  }
}

function checkChannel(platform: string, connections: ChatConnections | null): Check {
  const id = `chat.${platform}`
  if (connections === null) return good(id, "set up; the daemon connects when it runs")
  const found = connections.channels.find((one) => one.platform === platform)
  if (found === undefined)
    return warning(id, "switched on since the daemon was started", "Run `reverie restart`.")
  if (found.problem !== null) return warning(id, `${found.state}: ${found.problem}`, "")
  return good(id, found.state)
}
