import type { Channel } from "../../chat/channels/channel.ts"
import type { SendInChat } from "../../safety/notify/channels/chat.ts"

/** Sends private messages over the running channels. */
export function sendInChat(channels: readonly Channel[]): SendInChat {
  return async (person, message, signal) => {
    const [platform = "", id = ""] = person.split(":", 2)
    const channel = channels.find((one) => one.platform === platform && one.capabilities.direct)
    const sent = await channel?.sendTo?.(id, { ...message, mayStillSend: () => true }, signal)
    if (sent === undefined)
      return { outcome: "failed", reason: `Private messages are not possible on ${platform}.`, retry: true }
    if (sent.outcome === "refused") return { outcome: "failed", reason: sent.reason, retry: true }
    if (sent.outcome === "sent" && sent.cut !== undefined)
      return { outcome: "unknown", reason: `Only the first part was sent: ${sent.cut}` }
    return sent.outcome === "sent" ? { outcome: "sent" } : sent
  }
}
