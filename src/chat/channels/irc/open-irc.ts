import type { IrcMessageEvent } from "irc-framework"
import { type Clock, sleep } from "../../../base/clock.ts"
import { UserError } from "../../../base/errors.ts"
import { isLoopback } from "../../../base/net/web-address.ts"
import { newTimedId, type Random } from "../../../base/random.ts"
import type {
  Author,
  Capabilities,
  Channel,
  ChannelEvent,
  ChatMessage,
  OutgoingMessage,
  RoomRef,
  SendResult,
} from "../channel.ts"
import { createKeyedQueue } from "../keyed-queue.ts"
import { createSeenIds } from "../seen-ids.ts"
import { cleanName } from "../text/clean.ts"
import { withFilesAsText } from "../text/files-as-text.ts"
import { mentions } from "../text/mentions.ts"
import { type IrcConnection, type IrcSettings, openIrcConnection } from "./connection.ts"
import { actionText, isTarget, linesOf, longestLine, plainLine, visibleText } from "./lines.ts"
import { notConnected } from "./messages.ts"
import { createPace } from "./pace.ts"

const ircCapabilities: Capabilities = {
  reactions: false,
  typing: false,
  history: false,
  replies: false,
  longestText: longestLine,
  lengthUnit: "bytes",
  files: false,
  largestFile: 0,
  direct: false,
}

const firstPauseMs = 2000
const longestPauseMs = 300_000
/** After a connection that lasted this long, the next pause is short again. */
const steadyMs = 60_000
const mostIds = 2000

/** IRC on one network. Servers store nothing, so there is no history. */
export function openIrc(needs: { clock: Clock; random: Random }, settings: IrcSettings): Channel {
  const { clock, random } = needs
  const host = settings.host.includes(":") ? `[${settings.host}]` : settings.host
  if (settings.password !== "" && !settings.tls && !isLoopback(`http://${host}`))
    throw new UserError("config", "chat.irc.tls must be true: the password could be read on its way.")
  const network = settings.host.toLowerCase()
  const stopping = new AbortController()
  const inTurn = createKeyedQueue()
  const pace = createPace(clock, settings.secondsBetweenLines * 1000)
  const seen = createSeenIds(mostIds)
  /** The nick of each recent message, for replies; `ourselves` for ours. */
  const speakers = new Map<string, string>()
  let tell: (event: ChannelEvent) => void = () => undefined
  let link: IrcConnection | undefined
  let life: Promise<void> | undefined

  const newId = () => newTimedId(random, clock.now(), "irc")
  const note = (id: string, nick: string) => {
    speakers.set(id, nick)
    const [oldest] = speakers.keys()
    if (speakers.size > mostIds && oldest !== undefined) speakers.delete(oldest)
  }

  const roomOf = (of: IrcConnection, target: string, nick: string): RoomRef => {
    const isPrivate = of.isSame(target, of.nick())
    const other = of.fold(nick)
    return isPrivate
      ? { platform: "irc", community: `dm:${network}/${other}`, channel: nick, thread: null }
      : { platform: "irc", community: network, channel: of.fold(target), thread: null }
  }

  const takeMessage = (of: IrcConnection, event: IrcMessageEvent, isAction: boolean) => {
    const id = event.tags.msgid ?? newId()
    if (!seen.add(id)) return
    const nick = cleanName(event.nick, event.nick)
    const said = plainLine(event.message)
    if (said.trim() === "") return
    const replied = event.tags["+draft/reply"] ?? event.tags["+reply"]
    const isOurs = replied !== undefined && speakers.get(replied) === ourselves
    const author: Author = {
      id: event.account ? `account:${event.account}` : `nick:${of.fold(event.nick)}`,
      name: nick,
      isBot: event.tags.bot !== undefined,
    }
    note(id, nick)
    const room = roomOf(of, event.target, event.nick)
    const message: ChatMessage = {
      id,
      room,
      author,
      text: isAction ? actionText(nick, said) : said,
      at: event.time ?? clock.now(),
      replyTo: replied === undefined ? null : { id: replied, isOurs },
      mentionsUs: isOurs || mentions(said, [of.nick(), settings.nick]),
      isPrivate: room.community.startsWith("dm:"),
      isVoice: false,
      isOurs: false,
    }
    tell({ kind: "message", message })
  }

  const tellOurs = (of: IrcConnection, room: RoomRef, id: string, line: string) => {
    note(id, ourselves)
    const name = of.nick()
    const message: ChatMessage = {
      id,
      room,
      author: { id: `nick:${of.fold(name)}`, name, isBot: true },
      text: visibleText(line, name),
      at: clock.now(),
      replyTo: null,
      mentionsUs: false,
      isPrivate: room.community.startsWith("dm:"),
      isVoice: false,
      isOurs: true,
    }
    tell({ kind: "message", message })
  }

  const connect = async (vendor: typeof import("irc-framework")) => {
    const transport = await transportFor(settings)
    const opened = openIrcConnection(vendor, transport, {
      clock,
      random,
      settings,
      onReady: () =>
        tell({
          kind: "connected",
          communities: [{ id: network, name: settings.host }],
          mayHaveMissed: true,
          at: clock.now(),
        }),
      onMessage: (event, isAction) => takeMessage(opened, event, isAction),
      onProblem: (problem) => tell({ kind: "problem", problem, isFatal: false, at: clock.now() }),
    })
    link = opened
    return opened
  }

  const keepConnected = async () => {
    const vendor = (await import("irc-framework")).default
    let pauseMs = firstPauseMs
    while (!stopping.signal.aborted) {
      const since = clock.now()
      const opened = await connect(vendor)
      const stop = () => void opened.close()
      stopping.signal.addEventListener("abort", stop, { once: true })
      if (stopping.signal.aborted) stop()
      const { reason, fatal } = await opened.ended
      stopping.signal.removeEventListener("abort", stop)
      if (stopping.signal.aborted) return
      if (fatal !== undefined)
        return tell({ kind: "problem", problem: fatal, isFatal: true, at: clock.now() })
      tell({ kind: "disconnected", reason, at: clock.now() })
      if (clock.now() - since > steadyMs) pauseMs = firstPauseMs
      await sleep(clock, pauseMs * (0.75 + random.next() / 2), stopping.signal)
      pauseMs = Math.min(longestPauseMs, pauseMs * 2)
    }
  }

  /** Sends one line at its turn; undefined if the server accepted it. */
  const sendLine = async (
    at: IrcConnection,
    target: string,
    line: string,
    outgoing: OutgoingMessage,
    signal: AbortSignal,
  ): Promise<NotSent | undefined> => {
    await pace(signal)
    if (signal.aborted || !outgoing.mayStillSend()) return refused("It was cancelled.")
    // On a new connection the line would arrive without the lines before it.
    if (link !== at || !at.isReady()) return refused(notConnected)
    const said = await at.sendLine(target, line, signal)
    return said.outcome === "accepted" ? undefined : { outcome: said.outcome, reason: said.reason }
  }

  const sendLines = async (
    room: RoomRef,
    outgoing: OutgoingMessage,
    signal: AbortSignal,
  ): Promise<SendResult> => {
    const at = link
    if (!at?.isReady()) return refused(notConnected)
    if (!isTarget(room.channel)) return refused("This is not an IRC channel or nick.")
    const said = { ...outgoing, text: withFilesAsText(outgoing.text, outgoing.files) }
    const lines = linesOf(addressed(said, room, speakers), at.nick(), room.channel)
    if (lines.length === 0) return refused("The message is empty.")
    const ids: string[] = []
    for (const line of lines) {
      const failure = await sendLine(at, room.channel, line, outgoing, signal)
      if (failure) return ids.length === 0 ? failure : { outcome: "sent", ids, cut: failure.reason }
      const id = newId()
      ids.push(id)
      tellOurs(at, room, id, line)
    }
    return { outcome: "sent", ids }
  }

  return {
    platform: "irc",
    capabilities: ircCapabilities,
    async start(onEvent) {
      if (life !== undefined) throw new Error("a channel is started once")
      tell = (event) => {
        if (!stopping.signal.aborted) onEvent(event)
      }
      life = keepConnected()
    },
    history: async () => [],
    send(room, outgoing, signal) {
      // One message after the other: lines must not mix, and servers limit all lines together.
      return inTurn("", () => sendLines(room, outgoing, AbortSignal.any([signal, stopping.signal])))
    },
    react: async () => ({ outcome: "refused", reason: "IRC has no reactions." }),
    typing: () => undefined,
    async stop() {
      stopping.abort()
      await life
    },
  }
}

const ourselves = ""

type NotSent = Exclude<SendResult, { outcome: "sent" }>

function refused(reason: string): NotSent {
  return { outcome: "refused", reason }
}

async function transportFor({ tls, tlsFingerprint }: IrcSettings): Promise<unknown> {
  if (!tls || tlsFingerprint === "") return undefined
  const { pinnedTransport } = await import("./pinned-transport.ts")
  return pinnedTransport(tlsFingerprint)
}

/** Replies on IRC start with the nick of the author. */
function addressed({ text, replyTo }: OutgoingMessage, room: RoomRef, speakers: Map<string, string>): string {
  const nick = replyTo === undefined ? undefined : speakers.get(replyTo)
  if (!nick || room.community.startsWith("dm:") || mentions(text.slice(0, nick.length + 2), [nick]))
    return text
  return `${nick}: ${text}`
}
