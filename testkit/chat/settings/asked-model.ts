import { onTestFinished } from "vitest"
import { serveDiscord } from "../../discord/peer.ts"
import { serveModel } from "../../model-server/serve-model.ts"
import { thinks } from "../../worlds/initiate-world.ts"
import { decides } from "../../worlds/listen-world.ts"
import { createChatInstallation, entriesOf } from "../chat-program.ts"

/** Which model the program asks for a thought of its own, in a rehearsal; answers are the talker's. */
export async function askedModel(text: Record<string, unknown>): Promise<unknown> {
  const server = await serveModel({ models: ["talker", "thinker"] })
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
  const { client } = await installation.daemonHere()
  await peer.until(() => peer.connected() > 0)
  server.script([decides("silent", { reason: "small talk" })])
  peer.say(peer.channel, peer.addUser("ann"), "hello")
  await entriesOf(client, ["chat.silenced"])
  const [room] = (await client.chatStats()).rooms
  const community = String(room?.room).split("/").slice(0, 2).join("/")
  server.script([thinks("drop")])
  await installation.run("chat", "rehearse", "--community", community, "--hours", "1")
  return server.requests.at(-1)?.asked.model
}
