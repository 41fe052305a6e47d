/** Where something was said: a room of a community, or a thread in it. */
export interface RoomRef {
  /** Which configured channel it comes from, such as `discord` or `irc`. */
  platform: string
  /** The server, network or workspace: whose people are one audience. What is private is one of its own: `dm:…`. */
  community: string
  /** The channel. Threads carry their parent's here. */
  channel: string
  /** The thread inside the channel; null in the channel itself. */
  thread: string | null
}

/** Somebody who speaks. `id` stays when the name changes, where the platform knows such a thing. */
export interface Author {
  id: string
  name: string
  isBot: boolean
}

/** One message as we know it, whatever the platform. */
export interface ChatMessage {
  /** Unique within the room's platform and community. */
  id: string
  room: RoomRef
  author: Author
  /** What was said, as plain text: mentions resolved to names, attachments as a line each. */
  text: string
  at: number
  /** The message it replies to. */
  replyTo: { id: string; isOurs: boolean } | null
  /** Whether the platform itself says that we are meant: a mention of us, or a reply to us. */
  mentionsUs: boolean
  /** Whether it was said to us alone. */
  isPrivate: boolean
  /** Whether it is the transcript of something spoken. */
  isVoice: boolean
  /** Whether we said it. */
  isOurs: boolean
}

/** What a channel tells us. Each event is given once, in the order of its room. What we said comes too, as ours. */
export type ChannelEvent =
  | { kind: "message"; message: ChatMessage }
  | { kind: "edited"; room: RoomRef; id: string; text: string; at: number }
  | { kind: "deleted"; room: RoomRef; ids: string[]; at: number }
  | { kind: "reaction"; room: RoomRef; id: string; author: Author; emoji: string; added: boolean; at: number }
  /** The connection is there (again). `mayHaveMissed`: what was said meanwhile has to be fetched. */
  | { kind: "connected"; communities: { id: string; name: string }[]; mayHaveMissed: boolean; at: number }
  | { kind: "disconnected"; reason: string; at: number }
  /** Something a person has to mend, in one sentence: a wrong token, a missing intent, a ban. */
  | { kind: "problem"; problem: string; isFatal: boolean; at: number }

/** What a platform can do; whoever uses a channel asks here before it tries. */
export interface Capabilities {
  threads: boolean
  edits: boolean
  deletes: boolean
  reactions: boolean
  typing: boolean
  history: boolean
  replies: boolean
  /** The longest text of one message, in `lengthUnit`; longer ones are split. */
  longestText: number
  lengthUnit: "characters" | "bytes"
  /** Whether files can be sent, and how large one may be, in bytes. Where none can, their links are sent, or their names. */
  files: boolean
  largestFile: number
  /** Whether messages of other bots reach us marked as such. */
  seesBots: boolean
  /** Whether we can write to a person in private by their id, and the platform proves who answers. */
  direct: boolean
}

/** What came of something sent. A send is never repeated by the channel once it may have arrived. */
export type Sent =
  /** `cut` says why the later parts of a long text did not follow, where they did not. */
  | { outcome: "sent"; ids: string[]; cut?: string }
  /** Certainly not sent. */
  | { outcome: "refused"; reason: string; retryAfterMs?: number }
  /** The connection broke in the middle: perhaps sent. */
  | { outcome: "unknown"; reason: string }

/** A file that is sent along. */
export interface OutgoingFile {
  name: string
  /** Its media type, such as image/png. */
  type: string
  bytes: Uint8Array
  /** Where everybody can see it, for platforms that take no files. */
  link?: string
}

/** What to say. */
export interface Outgoing {
  text: string
  files?: readonly OutgoingFile[] | undefined
  replyTo?: string | undefined
  /** The same key twice is said once, where the platform can tell (Discord: nonce with enforcement). */
  key: string
  /** Looked at right before each part leaves; false keeps it, and the rest, back. */
  mayStillSend(): boolean
}

/** A platform we sit in: one small port, one implementation for each platform, one contract suite for all. */
export interface Channel {
  platform: string
  capabilities: Capabilities
  /** Connects and goes on until stopped; tells everything through `onEvent`. */
  start(onEvent: (event: ChannelEvent) => void): Promise<void>
  /** Messages of a room before now, oldest first, at most `limit`; after a message where one is given. */
  history(room: RoomRef, options: { limit: number; after?: string | undefined }): Promise<ChatMessage[]>
  /** Whether we may send files in a room, where the platform tells; undefined is as the capabilities say. */
  mayAttach?(room: RoomRef): boolean
  send(room: RoomRef, outgoing: Outgoing, signal: AbortSignal): Promise<Sent>
  /** Writes to a person in private, by the platform's id for them; where the capabilities say `direct`. */
  sendTo?(person: string, outgoing: Outgoing, signal: AbortSignal): Promise<Sent>
  react(room: RoomRef, message: string, emoji: string): Promise<Sent>
  /** Shows that we write, until the signal aborts; does nothing where the platform has no such thing. */
  typing(room: RoomRef, signal: AbortSignal): void
  stop(): Promise<void>
}
