import { messageOf, UserError } from "../../../src/base/errors.ts"
import type { System } from "../system.ts"
import { bm25 } from "./bm25.ts"
import { cosine } from "./cosine.ts"
import { hippo } from "./hippo.ts"
import { mem0 } from "./mem0.ts"
import { minisearch } from "./minisearch.ts"
import { oramaHybrid, oramaText } from "./orama.ts"
import type { Peer, PeerNeeds } from "./peer.ts"
import { serverMemory } from "./server-memory.ts"

const peers: readonly Peer[] = [bm25, cosine, minisearch, oramaText, oramaHybrid, hippo, mem0, serverMemory]

/** The peers a list names (all of them, or none), made ready; those that are not there are left out aloud. */
export async function choosePeers(
  needs: PeerNeeds & { say(text: string): void },
  names: string,
): Promise<System[]> {
  const systems: System[] = []
  for (const peer of named(names)) {
    try {
      systems.push(await peer.prepare(needs))
    } catch (error) {
      needs.say(
        `left out: ${peer.name} (${messageOf(error)}); npm ci --prefix bench/peers installs the peers`,
      )
    }
  }
  return systems
}

function named(names: string): readonly Peer[] {
  if (names === "all") return peers
  if (names === "none") return []
  return names.split(",").map((name) => {
    const peer = peers.find((one) => one.name === name)
    if (peer) return peer
    const there = peers.map((one) => one.name).join(", ")
    throw new UserError("usage", `There is no peer named ${name}; there are: ${there}, all and none.`)
  })
}
