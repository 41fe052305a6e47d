import { messageOf } from "../../base/errors.ts"
import type { SafeFetch } from "../../base/net/safe-fetch/safe-fetch.ts"
import { newId } from "../../base/random.ts"
import type { Command } from "../../chat/attention/command.ts"
import type { Channel, RoomRef } from "../../chat/channels/channel.ts"
import { openChannels } from "../../chat/channels/open-channels.ts"
import type { ChatEntry } from "../../chat/conversation/effect.ts"
import { openInstructions } from "../../chat/listening/instructions.ts"
import { openPolicy, type RoomPolicy } from "../../chat/policy/room-policy.ts"
import { type ChatStore, openChatStore } from "../../chat/supervisor/store.ts"
import {
  type ChatStatus,
  openSupervisor,
  type Supervisor,
  type SupervisorNeeds,
} from "../../chat/supervisor/supervisor.ts"
import type { Environment } from "../../config/environment.ts"
import type { Paths } from "../../config/paths.ts"
import type { Config } from "../../config/schema.ts"
import type { SendInChat } from "../../safety/notify/channels/chat.ts"
import type { Approvals } from "../../safety/permission/approvals.ts"
import {
  type InitiateNeeds,
  type Initiation,
  mayInitiate,
  startInitiating,
} from "../initiate/start-initiating.ts"
import { usualParts } from "../initiate/usual-parts.ts"
import { takingDecisions } from "../permissions/decide-in-chat.ts"
import { tellInChat } from "../permissions/tell-in-chat.ts"
import { hearResponse, notePosted } from "./feedback/hear-feedback.ts"
import { forgetMessages } from "./forget-author.ts"
import { type ChannelState, type LastingChannel, lastingChannel } from "./lasting-channel.ts"
import { type MediaDesk, openMediaDesk } from "./media-desk.ts"
import { isMutedEverywhere } from "./mute.ts"
import { openThink, type ThinkNeeds } from "./think.ts"

/** What sitting in channels needs. */
export type ListeningNeeds = Omit<ThinkNeeds, "policy" | "forgetAuthor" | "inBackground" | "media"> & {
  env: Environment
  paths: Paths
  /** How servers for media are reached; given only to try it out. */
  fetch?: SafeFetch | undefined
  /** Takes decisions that people send in private; without it there are none. */
  approvals?: Pick<Approvals, "answer"> | undefined
}

/** The same with what thoughts of its own need. */
export type ListeningStart = ListeningNeeds &
  Pick<InitiateNeeds, "install" | "parts" | "thoughtModels" | "web">

/** Chat at work. */
export interface Listening {
  status(): ListeningStatus
  /** Writes to a person in private. */
  tell: SendInChat
  command(room: RoomRef, command: Command, by: string): void
  muteAll(isMuted: boolean): void
  settled(): Promise<void>
  stop(): Promise<void>
}

interface ListeningStatus extends Pick<ChatStatus, "rooms"> {
  channels: ChannelState[]
  /** Why a channel that is switched on was not even opened. */
  problems: string[]
}

/** Whether any channel is switched on; where none is, chat costs nothing at all. */
export function isListening({ chat }: Config): boolean {
  return chat.discord.enabled || chat.irc.enabled
}

/** Opens the channels that the configuration switches on, and listens in them until it is stopped. */
export async function startListening(needs: ListeningStart): Promise<Listening> {
  const { log, config, env, paths, clock, random } = needs
  const open = { clock, random, env, credentialsFile: paths.credentialsFile }
  const { channels, problems } = openChannels(open, config.chat)
  for (const problem of problems) log.warn("A chat channel cannot be opened.", { problem })
  const lasting = channels.map((channel) =>
    lastingChannel({ clock }, channel, () => {
      const anew = openChannels(open, onlyOf(config.chat, channel.platform))
      return anew.channels[0] ?? anew.problems[0] ?? "It is switched off."
    }),
  )
  const own: { initiation?: Initiation } = {}
  const onForgotten = (room: RoomRef) => own.initiation?.forget(room)
  const onOwn: OnOwn = (room, key, delivery) => own.initiation?.onOwn(room, key, delivery)
  const opened = await openListening(needs, lasting, { onOwn, onForgotten })
  // What was on its way when the program ended is taken up before its room goes on.
  if (mayInitiate(config)) {
    const parts = usualParts({ ...needs, media: opened.media, policy: openPolicy(config.chat) })
    own.initiation = await startInitiating({ ...needs, parts: needs.parts ?? parts }, opened)
  }
  // Connecting takes as long as it takes; nobody waits for it.
  void opened.supervisor.start()
  return {
    ...opened,
    async stop() {
      await own.initiation?.stop()
      await opened.stop()
    },
    status: () => ({
      rooms: opened.supervisor.status().rooms,
      channels: lasting.map((one) => one.state()),
      problems,
    }),
    tell: tellInChat(lasting),
  }
}

function onlyOf({ discord, irc }: Config["chat"], platform: string): Pick<Config["chat"], "discord" | "irc"> {
  return {
    discord: { ...discord, enabled: platform === "discord" },
    irc: { ...irc, enabled: platform === "irc" },
  }
}

type OnOwn = NonNullable<SupervisorNeeds["onOwn"]>

interface ListeningOptions {
  /** Hears what came of something of its own that was to be said. */
  onOwn?: OnOwn | undefined
  /** Hears that somebody wants what they said in a community forgotten. */
  onForgotten?: ((room: RoomRef) => void) | undefined
  /** Hears what the journal is told, after it is stored. */
  onEntry?: ((entry: ChatEntry, room: RoomRef) => void) | undefined
}

/** The engine over some channels, not started yet. */
export async function openListening(
  needs: ListeningNeeds,
  channels: readonly (Channel | LastingChannel)[],
  { onEntry, onOwn, onForgotten }: ListeningOptions,
): Promise<
  Omit<Listening, "status" | "tell"> & {
    supervisor: Supervisor
    store: ChatStore
    instructions: () => string | null
    media: MediaDesk
  }
> {
  const { log, config, db, approvals } = needs
  const { chat } = config
  const people = new Set(config.notify.chat_to)
  const background = new Set<Promise<unknown>>()
  const inBackground = (work: Promise<unknown>) => {
    const done = work
      .catch((error) => log.warn("Something after a chat message failed.", { reason: messageOf(error) }))
      .finally(() => background.delete(done))
    background.add(done)
  }
  const policy = openPolicy(chat)
  const media = openMediaDesk(needs)
  const held: { supervisor?: Supervisor } = {}
  const think = openThink({
    ...needs,
    policy,
    media,
    inBackground,
    async forgetAuthor(room, author) {
      onForgotten?.(room)
      await held.supervisor?.forgetAuthor(room, author)
    },
  })
  const store = telling(openChatStore(needs), async (entry, room) => {
    // It is stored already: what fails here must not have it stored again.
    await notePosted(needs, room, entry).catch((error) =>
      log.warn("A post could not be noted for feedback.", { reason: messageOf(error) }),
    )
    onEntry?.(entry, room)
  })
  const instructions = openInstructions(needs)
  const supervisor = await openSupervisor({
    ...needs,
    chat,
    store,
    think,
    findFiles: media.find,
    ...{ instructions, onOwn },
    channels: channels
      .map((channel) =>
        approvals ? takingDecisions({ log, approvals, people }, channel, inBackground) : channel,
      )
      .map((channel) => minding({ ...needs, policy }, channel, inBackground)),
    isMuted: await isMutedEverywhere(db),
  })
  held.supervisor = supervisor
  const settled = async () => {
    await supervisor.settled()
    while (background.size > 0) await Promise.all(background)
  }
  return {
    ...{ supervisor, store, instructions, media },
    command: supervisor.command,
    muteAll: supervisor.muteAll,
    settled,
    async stop() {
      await supervisor.stop()
      while (background.size > 0) await Promise.all(background)
    },
  }
}

/** The store, with somebody who hears what the journal is told. */
function telling(store: ChatStore, onEntry: (entry: ChatEntry, room: RoomRef) => Promise<void>): ChatStore {
  return {
    ...store,
    async save(saves) {
      await store.save(saves)
      for (const { room, entries } of saves) for (const entry of entries) await onEntry(entry, room)
    },
  }
}

/** A channel whose deleted messages are forgotten, with what was learned from them, and whose reactions and replies count. */
function minding(
  needs: ListeningNeeds & { policy(room: RoomRef): RoomPolicy },
  channel: Channel,
  inBackground: (work: Promise<unknown>) => void,
): Channel {
  return {
    ...channel,
    start: (onEvent) =>
      channel.start((event) => {
        if (event.kind === "deleted") {
          const by = { operation: newId(needs.random, "op"), actor: "chat" }
          inBackground(forgetMessages(needs, event.room, event.ids, by))
        }
        if (event.kind === "reaction" || event.kind === "message")
          inBackground(hearResponse(needs, needs.policy, event))
        onEvent(event)
      }),
  }
}
