import { UserError } from "../../base/errors.ts"
import type { RoomRef } from "../../chat/channels/channel.ts"
import { reduce } from "../../chat/conversation/reduce.ts"
import { conversationSettings } from "../../chat/conversation/settings.ts"
import { newConversation, roomKey } from "../../chat/conversation/state.ts"
import { openPolicy } from "../../chat/policy/room-policy.ts"
import { openChatStore } from "../../chat/supervisor/store.ts"
import type { Supervisor } from "../../chat/supervisor/supervisor.ts"
import type { Core } from "../../storage/core.ts"
import { appendEntry, type By, readJournal } from "../../storage/journal.ts"
import type { Reader } from "../../storage/transaction.ts"
import { findRooms } from "./rooms.ts"

/** The running conversations; undefined without a daemon. */
type Running = Pick<Supervisor, "command" | "muteAll" | "settled"> | undefined

/** The journal subject for all rooms. */
const everywhere = "*"

/** Whether it is muted everywhere, as the journal says. */
export async function isMutedEverywhere(on: Reader): Promise<boolean> {
  const kind = ["chat.muted", "chat.unmuted"]
  const [last] = await readJournal(on, { kind, subject: everywhere, newestFirst: true, limit: 1 })
  return last?.kind === "chat.muted"
}

/** Mutes it in all present and future rooms, or ends that. */
export async function muteEverywhere(
  { db, clock }: Core,
  listening: Running,
  isMuted: boolean,
  by: By,
): Promise<void> {
  const kind = isMuted ? "chat.muted" : "chat.unmuted"
  const data = { reason: "The operator set this for all rooms." }
  await db.write(async (transaction) => {
    if ((await isMutedEverywhere(transaction)) === isMuted) return
    await appendEntry(transaction, { ...by, at: clock.now(), kind, subject: everywhere, data })
  })
  listening?.muteAll(isMuted)
}

/** Mutes it in the rooms that match a name, or ends that; returns these rooms. */
export async function muteRooms(
  needs: Core,
  listening: Running,
  { channel, isMuted }: { channel: string; isMuted: boolean },
  by: By,
): Promise<RoomRef[]> {
  const rooms = await findRooms(needs, channel)
  if (rooms.length === 0)
    throw new UserError(
      "not-found",
      `It has never received a message in a channel called ${channel}; name it as PLATFORM/COMMUNITY/CHANNEL to mute it beforehand.`,
    )
  const command = isMuted ? "mute" : "unmute"
  for (const room of rooms) {
    if (listening) listening.command(room, command, by.actor)
    else await commandStored(needs, room, command, by)
  }
  await listening?.settled()
  return rooms
}

/** Applies the command to the stored conversation, if no daemon runs. */
async function commandStored(
  { db, random, clock, config }: Core,
  room: RoomRef,
  command: "mute" | "unmute",
  by: By,
): Promise<void> {
  const store = openChatStore({ db, random })
  const before = (await store.load(roomKey(room))) ?? newConversation(room)
  const at = clock.now()
  const settings = conversationSettings(config.chat, openPolicy(config.chat), room)
  const { state, effects } = reduce(
    before,
    { kind: "command", command, by: by.actor, at, chance: 0 },
    settings,
  )
  const entries = effects.flatMap((effect) => (effect.kind === "journal" ? [effect.entry] : []))
  const usage = { messages: 0, calls: 0, replies: 0, silences: 0, microUsd: 0 }
  await store.save([{ room, at, state, entries, usage }])
}
