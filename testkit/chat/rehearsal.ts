import { onTestFinished } from "vitest"
import { serveDiscord } from "../discord/peer.ts"
import { serveModel } from "../model-server/serve-model.ts"
import { createChatInstallation } from "./chat-program.ts"

interface Options {
  /** The models that there are to ask. */
  models?: string[]
  /** Further settings of chat.initiative.text. */
  text?: Record<string, unknown>
}

/** The program in a Discord of our own; it looks around by itself so rarely that it does not within a test. */
export async function openRehearsal({ models, text = {} }: Options = {}) {
  const server = await serveModel(models ? { models } : {})
  const peer = await serveDiscord()
  onTestFinished(peer.close)
  const installation = createChatInstallation({
    server,
    env: { REVERIE_DISCORD_TOKEN: peer.token },
    chat: [
      ...["[chat.policy]", 'ambient_channels = ["*"]', 'discovery_channels = ["*"]'],
      ...["[chat.initiative.text]", "eagerness = 100", "tick_seconds = 600"],
      ...Object.entries(text).map(([name, value]) => `${name} = ${JSON.stringify(value)}`),
      ...["[chat.initiative.discovery.sources]", "hacker_news = false"],
      ...["[chat.discord]", "enabled = true", `api_url = "${peer.apiUrl}"`],
    ],
  })
  const { client, stop } = await installation.daemonHere()
  await peer.until(() => peer.connected() > 0)
  return { server, peer, installation, client, stop }
}
