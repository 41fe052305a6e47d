import { createBackground } from "../../base/background.ts"
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
  type ChatParts,
  type InitiateNeeds,
  type Initiation,
  mayInitiate,
  startInitiating,
} from "../initiate/start-initiating.ts"
import { withDecisions } from "../permissions/decide-in-chat.ts"
import { sendInChat } from "../permissions/send-in-chat.ts"
import { openChatMedia } from "./chat-media.ts"
import { recordResponse, recordUnaskedPost } from "./feedback/record-feedback.ts"
import { forgetMessages } from "./forget-author.ts"
import { isMutedEverywhere } from "./mute.ts"
import { type ChannelState, type ReconnectingChannel, reconnectingChannel } from "./reconnecting-channel.ts"
import { openThink, type ThinkNeeds } from "./think.ts"

export type ListeningNeeds = Omit<ThinkNeeds, "policy" | "forgetAuthor" | "inBackground" | "media"> & {
  env: Environment
  paths: Paths
  /** Replaces how media providers are reached, in tests. */
  fetch?: SafeFetch | undefined
  /** Handles decisions about permission requests that users send in private messages. */
  approvals?: Pick<Approvals, "answer"> | undefined
}

/** The same with what posts of its own need. */
export type ListeningStart = ListeningNeeds & Pick<InitiateNeeds, "install" | "thoughtModels" | "web">

/** Chat while it runs. */
export interface Listening {
  status(): ListeningStatus
  /** Sends a private message. */
  tell: SendInChat
  command(room: RoomRef, command: Command, by: string): void
  muteAll(isMuted: boolean): void
  settled(): Promise<void>
  stop(): Promise<void>
}

interface ListeningStatus extends Pick<ChatStatus, "rooms"> {
  channels: ChannelState[]
  /** Why enabled channels could not be opened. */
  problems: string[]
}

/** Whether any channel is enabled; otherwise nothing of chat is loaded. */
export function isListening({ chat }: Config): boolean {
  return chat.discord.enabled || chat.irc.enabled
}

/** Opens the enabled channels and listens in them until it is stopped. */
export async function startListening(needs: ListeningStart): Promise<Listening> {
  const { log, config, env, paths, clock, random } = needs
  const open = { clock, random, env, credentialsFile: paths.credentialsFile }
  const { channels, problems } = openChannels(open, config.chat)
  for (const problem of problems) log.warn("A chat channel cannot be opened.", { problem })
  const lasting = channels.map((channel) =>
    reconnectingChannel({ clock }, channel, () => {
      const anew = openChannels(open, onlyOf(config.chat, channel.platform))
      return anew.channels[0] ?? anew.problems[0] ?? "It is disabled."
    }),
  )
  const own: { initiation?: Initiation } = {}
  const onForgotten = (room: RoomRef) => own.initiation?.forget(room)
  const onOwnPost: OnOwnPost = (room, key, delivery) => own.initiation?.onOwnPost(room, key, delivery)
  const opened = await openListening(needs, lasting, { onOwnPost, onForgotten })
  // Posts that were being sent when the program ended are recovered before their rooms continue.
  if (mayInitiate(config)) {
    own.initiation = await startInitiating(needs, opened)
  }
  // Connecting may take long; nothing waits for it.
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
    tell: sendInChat(lasting),
  }
}

function onlyOf({ discord, irc }: Config["chat"], platform: string): Pick<Config["chat"], "discord" | "irc"> {
  return {
    discord: { ...discord, enabled: platform === "discord" },
    irc: { ...irc, enabled: platform === "irc" },
  }
}

type OnOwnPost = NonNullable<SupervisorNeeds["onOwnPost"]>

interface ListeningOptions {
  /** Called with the delivery of each post of its own. */
  onOwnPost?: OnOwnPost | undefined
  /** Called when a user asks to have their messages in a community forgotten. */
  onForgotten?: ((room: RoomRef) => void) | undefined
  /** Called with each journal entry after it is stored. */
  onEntry?: ((entry: ChatEntry, room: RoomRef) => void) | undefined
}

/** Opens the supervisor over some channels without starting it. */
export async function openListening(
  needs: ListeningNeeds,
  channels: readonly (Channel | ReconnectingChannel)[],
  { onEntry, onOwnPost, onForgotten }: ListeningOptions,
): Promise<Omit<Listening, "status" | "tell"> & ChatParts> {
  const { log, config, db, approvals } = needs
  const { chat } = config
  const people = new Set(config.notify.chat_to)
  const background = createBackground((error) =>
    log.warn("Background work after a chat message failed.", { reason: messageOf(error) }),
  )
  const policy = openPolicy(chat)
  const media = openChatMedia(needs)
  const late: { supervisor?: Supervisor } = {}
  const think = openThink({
    ...needs,
    policy,
    media,
    inBackground: background.run,
    async forgetAuthor(room, author) {
      onForgotten?.(room)
      await late.supervisor?.forgetAuthor(room, author)
    },
  })
  const store = withEntryListener(openChatStore(needs), async (entry, room) => {
    // The entry is stored already: an error here must not make the writer store it again.
    await recordUnaskedPost(needs, room, entry).catch((error) =>
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
    instructions,
    onOwnPost,
    channels: channels
      .map((channel) =>
        approvals ? withDecisions({ log, approvals, people }, channel, background.run) : channel,
      )
      .map((channel) => withFeedback({ ...needs, policy }, channel, background.run)),
    isMuted: await isMutedEverywhere(db),
  })
  late.supervisor = supervisor
  const settled = async () => {
    await supervisor.settled()
    await background.settled()
  }
  return {
    supervisor,
    store,
    instructions,
    media,
    command: supervisor.command,
    muteAll: supervisor.muteAll,
    settled,
    async stop() {
      await supervisor.stop()
      await background.settled()
    },
  }
}

/** A store that reports each journal entry after it is stored. */
function withEntryListener(
  store: ChatStore,
  onEntry: (entry: ChatEntry, room: RoomRef) => Promise<void>,
): ChatStore {
  return {
    ...store,
    async save(saves) {
      await store.save(saves)
      for (const { room, entries } of saves) for (const entry of entries) await onEntry(entry, room)
    },
  }
}

/** A channel that also forgets memories of deleted messages and records responses to posts. */
function withFeedback(
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
          inBackground(recordResponse(needs, needs.policy, event))
        onEvent(event)
      }),
  }
}
