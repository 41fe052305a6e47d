import { messageOf } from "../../base/errors.ts"
import { openChannels } from "../../chat/channels/open-channels.ts"
import { readConfig } from "../../config/load.ts"
import type { Host } from "../../config/paths.ts"
import { bad, type Check, good } from "../check.ts"

/** How the channels stand, as the daemon tells. */
export interface ChatStanding {
  channels: { platform: string; state: string; problem: string | null }[]
  problems: string[]
}

/** Whether the chat channels that are switched on have what they need, and are connected. */
export async function checkChat(
  needs: Host & {
    /** Null if no daemon runs. */
    askChat(): Promise<ChatStanding | null>
  },
): Promise<Check[]> {
  try {
    const { config } = readConfig(needs.paths.configFile)
    const open = { ...needs, credentialsFile: needs.paths.credentialsFile }
    const { channels, problems } = openChannels(open, config.chat)
    if (channels.length === 0 && problems.length === 0) return [good("chat", "no channel is switched on")]
    const missing = problems.map((problem) => bad("chat", "error", problem, ""))
    const standing = await needs.askChat()
    const each = channels.map(({ platform }) => checkChannel(platform, standing))
    return [...missing, ...each]
  } catch (error) {
    return [bad("chat", "warning", messageOf(error), "")]
  }
}

function checkChannel(platform: string, standing: ChatStanding | null): Check {
  const id = `chat.${platform}`
  if (standing === null) return good(id, "set up; the daemon connects when it runs")
  const found = standing.channels.find((one) => one.platform === platform)
  if (found === undefined)
    return bad(id, "warning", "switched on since the daemon was started", "Run `reverie restart`.")
  if (found.problem !== null) return bad(id, "warning", `${found.state}: ${found.problem}`, "")
  return good(id, found.state)
}
