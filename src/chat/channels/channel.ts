/** A room: a channel of a community, or a thread in it. */
export interface RoomRef {
  /** `discord`, `irc` or `terminal`. */
  platform: string
  /** The server or network, whose members are one audience. Private messages have their own: `dm:…`. */
  community: string
  /** The channel; for a thread, its parent channel. */
  channel: string
  /** The thread inside the channel; null in the channel itself. */
  thread: string | null
}

/** The author of a message. `id` does not change with the name, if the platform has such ids. */
export interface Author {
  id: string
  name: string
  isBot: boolean
}

/** One message of any platform. */
export interface ChatMessage {
  /** Unique within the room's platform and community. */
  id: string
  room: RoomRef
  author: Author
  /** Plain text: mentions as names, each attachment as a line. */
  text: string
  at: number
  replyTo: { id: string; isOurs: boolean } | null
  /** Whether the platform marks it as a mention of us, or a reply to us. */
  mentionsUs: boolean
  isPrivate: boolean
  /** Whether it is a transcript of speech. */
  isVoice: boolean
  isOurs: boolean
}

/** Events of a channel: each once, in the order of its room. Our own messages are included. */
export type ChannelEvent =
  | { kind: "message"; message: ChatMessage }
  | { kind: "edited"; room: RoomRef; id: string; text: string; at: number }
  | { kind: "deleted"; room: RoomRef; ids: string[]; at: number }
  | { kind: "reaction"; room: RoomRef; id: string; author: Author; emoji: string; added: boolean; at: number }
  /** `mayHaveMissed`: messages may be missing and have to be fetched. */
  | { kind: "connected"; communities: { id: string; name: string }[]; mayHaveMissed: boolean; at: number }
  | { kind: "disconnected"; reason: string; at: number }
  /** A problem that the user has to fix, in one sentence: a wrong token, a missing intent, a ban. */
  | { kind: "problem"; problem: string; isFatal: boolean; at: number }

/** What a platform can do; check before use. */
export interface Capabilities {
  reactions: boolean
  typing: boolean
  history: boolean
  replies: boolean
  /** The longest message, in `lengthUnit`; longer texts are split. */
  longestText: number
  lengthUnit: "characters" | "bytes"
  /** Whether files can be sent, and their largest size in bytes. Otherwise their links or names are sent. */
  files: boolean
  largestFile: number
  /** Whether we can send private messages by user id, and the platform authenticates the answers. */
  direct: boolean
}

/** The result of a send. A channel never repeats a send that may have arrived. */
export type SendResult =
  /** `cut`: why the later parts of a long text were not sent. */
  | { outcome: "sent"; ids: string[]; cut?: string }
  | { outcome: "refused"; reason: string; retryAfterMs?: number }
  /** It may have been sent: the connection broke. */
  | { outcome: "unknown"; reason: string }

export interface OutgoingFile {
  name: string
  /** The media type, such as image/png. */
  type: string
  bytes: Uint8Array
  /** A public link, for platforms without files. */
  link?: string
}

export interface OutgoingMessage {
  text: string
  files?: readonly OutgoingFile[] | undefined
  replyTo?: string | undefined
  /** The same key is sent once, if the platform supports it (Discord: an enforced nonce). */
  key: string
  /** Checked right before each part is sent; false stops it and the rest. */
  mayStillSend(): boolean
}

/** A chat platform. One contract suite tests all implementations. */
export interface Channel {
  platform: string
  capabilities: Capabilities
  /** Connects, and reports events until it is stopped. */
  start(onEvent: (event: ChannelEvent) => void): Promise<void>
  /** The newest messages of a room, at most `limit`, the oldest first; only those after a message, if given. */
  history(room: RoomRef, options: { limit: number; after?: string | undefined }): Promise<ChatMessage[]>
  /** Whether we may send files in a room; without it, as the capabilities say. */
  mayAttach?(room: RoomRef): boolean
  send(room: RoomRef, outgoing: OutgoingMessage, signal: AbortSignal): Promise<SendResult>
  /** Sends a private message to a user id; requires the capability `direct`. */
  sendTo?(person: string, outgoing: OutgoingMessage, signal: AbortSignal): Promise<SendResult>
  react(room: RoomRef, message: string, emoji: string): Promise<SendResult>
  /** Shows a typing indicator until the signal aborts, if the platform has one. */
  typing(room: RoomRef, signal: AbortSignal): void
  stop(): Promise<void>
}
