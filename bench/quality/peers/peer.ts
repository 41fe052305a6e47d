import type { Embed, System } from "../system.ts"

/** What a peer may use. */
export interface PeerNeeds {
  embed: Embed
  /** Loads a package of bench/peers. */
  load(name: string): Promise<unknown>
  /** A new folder that is gone after the run. */
  folder(): string
}

/** A system that is not ours, made ready only when it is asked for. */
export interface Peer {
  name: string
  prepare(needs: PeerNeeds): Promise<System>
}
