import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { systemClock } from "../../../src/base/clock.ts"
import { silentLog } from "../../../src/base/log.ts"
import { type Random, systemRandom } from "../../../src/base/random.ts"
import type { RoomRef } from "../../../src/chat/channels/channel.ts"
import { roomKey } from "../../../src/chat/conversation/state.ts"
import { openDatabase } from "../../../src/storage/open-database.ts"
import type { Kept } from "../memory-store.ts"
import { settledIds } from "../simulation/settled.ts"
import { createSqlStore } from "../sql-store.ts"
import { type Peer, startPeer } from "./peer.ts"

const program = fileURLToPath(new URL("./room-process.ts", import.meta.url))
const rooms: RoomRef[] = ["hall", "desk", "yard"].map((channel) => ({
  ...{ platform: "peer", community: "c", channel, thread: null },
}))

export interface KilledRoom {
  kills: number
  messages: number
  mentions: number
  posts: number
  /** Mentions that were answered by a post. */
  answered: number
  /** Mentions and posts that came twice, and what nothing accounts for. */
  twice: string[]
  lostMentions: string[]
  lostMessages: string[]
}

export interface KillRoomPlan {
  folder: string
  kills: number
  random: Random
  onKill?(kills: number): void
}

/** Kills the process of some busy rooms again and again at random moments, and says what came of it. */
export async function killRoom({ folder, kills, random, onKill }: KillRoomPlan): Promise<KilledRoom> {
  const url = `sqlite:${join(folder, "reverie.db")}`
  const peer = await startPeer(() => random.next() * 20)
  const talking = new AbortController()
  let child: ChildProcess | undefined
  const start = async () => {
    const connected = peer.connected()
    child = spawn(process.execPath, [program, String(peer.port), url], {
      stdio: ["ignore", "ignore", "inherit"],
    })
    const ended = once(child, "exit").then(([code]) => {
      if (code !== null) throw new Error(`the room's process ended by itself (${code})`)
    })
    ended.catch(() => undefined)
    await Promise.race([connected, ended])
    return { ended }
  }
  try {
    let life = await start()
    for (const room of rooms) peer.say(room, false)
    await untilKnown(url)
    const talk = talkOn(peer, random, talking.signal)
    for (let kill = 1; kill <= kills; kill += 1) {
      await wait(random.next() * 400)
      child?.kill("SIGKILL")
      await life.ended
      onKill?.(kill)
      life = await start()
    }
    talking.abort()
    await talk
    const kept = await untilQuiet(url)
    return outcome(peer, kept, kills)
  } finally {
    talking.abort()
    child?.kill("SIGKILL")
    peer.close()
  }
}

/** People talk, whether the program lives or not. */
async function talkOn(peer: Peer, random: Random, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const room = rooms[Math.floor(random.next() * rooms.length)]
    if (room) peer.say(room, random.next() < 0.12)
    await wait(random.next() * 80)
  }
}

async function keptIn(url: string): Promise<Kept> {
  const db = await openDatabase({ url, file: "", clock: systemClock, random: systemRandom, log: silentLog })
  try {
    return await createSqlStore(db, systemRandom).all("peer")
  } finally {
    await db.close()
  }
}

async function untilKnown(url: string): Promise<void> {
  while ((await keptIn(url)).states.length < rooms.length) await wait(50)
}

/** Waits until nothing is under way, or waits, in any room. */
async function untilQuiet(url: string): Promise<Kept> {
  for (;;) {
    await wait(400)
    const kept = await keptIn(url)
    const isBusy = kept.states.some(
      ({ run, waiting, buffer, gapAfter }) =>
        run !== null || waiting.length > 0 || buffer.length > 0 || gapAfter !== null,
    )
    if (!isBusy) return kept
  }
}

function outcome({ posts, messages }: Peer, kept: Kept, kills: number): KilledRoom {
  const settled = settledIds(kept)
  const answers = new Map<string, number>()
  for (const { text } of posts.filter(({ text }) => text.startsWith("direct: "))) {
    for (const id of text.slice("direct: ".length).split(" ")) answers.set(id, (answers.get(id) ?? 0) + 1)
  }
  const keys = posts.map(({ room, key }) => `${room} ${key}`)
  const mentions = messages.filter(({ mentionsUs }) => mentionsUs)
  const lost = messages.filter(({ id, room }) => !settled.has(`${roomKey(room)} ${id}`))
  return {
    ...{ kills, messages: messages.length, mentions: mentions.length, posts: posts.length },
    answered: mentions.filter(({ id }) => answers.has(id)).length,
    twice: [
      ...keys.filter((key, index) => keys.indexOf(key) !== index),
      ...[...answers]
        .filter(([, count]) => count > 1)
        .map(([id, count]) => `${id} was answered ${count} times`),
    ],
    lostMentions: mentions
      .filter(({ id }) => !answers.has(id))
      .map(({ id, room }) => `${id} in ${room.channel}`),
    lostMessages: lost.map(({ id }) => id),
  }
}
