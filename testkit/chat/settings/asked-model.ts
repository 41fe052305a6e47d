import { thinks } from "../../worlds/initiate-world.ts"
import { decides } from "../../worlds/listen-world.ts"
import { entriesOf } from "../chat-program.ts"
import { openRehearsal } from "../rehearsal.ts"

/** Which model the program asks for a thought of its own, in a rehearsal; answers are the talker's. */
export async function askedModel(text: Record<string, unknown>): Promise<unknown> {
  const { server, peer, installation, client } = await openRehearsal({ models: ["talker", "thinker"], text })
  server.script([decides("silent", { reason: "small talk" })])
  peer.say(peer.channel, peer.addUser("ann"), "hello")
  await entriesOf(client, ["chat.silenced"])
  const [room] = (await client.chatStats()).rooms
  const community = String(room?.room).split("/").slice(0, 2).join("/")
  server.script([thinks("drop")])
  await installation.run("chat", "rehearse", "--community", community, "--hours", "1")
  return server.requests.at(-1)?.asked.model
}
