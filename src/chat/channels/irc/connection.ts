import type { IrcMessageEvent } from "irc-framework"
import type { Clock } from "../../../base/clock.ts"
import type { Random } from "../../../base/random.ts"
import { joinProblem } from "./messages.ts"

export interface IrcSettings {
  host: string
  port: number
  tls: boolean
  /** The only accepted certificate; empty to trust the usual authorities. */
  tlsFingerprint: string
  nick: string
  /** Names, each with its key after a space if it has one. */
  channels: readonly string[]
  /** For SASL; empty for no account. */
  account: string
  /** Of the account, or else of the server; empty for none. */
  password: string
  secondsBetweenLines: number
}

interface ConnectionEnd {
  reason: string
  /** A problem that the user has to fix; retrying does not help. */
  fatal: string | undefined
}

export interface IrcConnectionNeeds {
  clock: Clock
  random: Random
  settings: IrcSettings
  /** Called when every channel is joined or refused. */
  onReady(): void
  onMessage(event: IrcMessageEvent, isAction: boolean): void
  onProblem(problem: string): void
}

export interface IrcConnection {
  nick(): string
  isReady(): boolean
  isSame(one: string, other: string): boolean
  fold(name: string): string
  /** Sends a line and waits for the server to accept or refuse it. */
  sendLine(target: string, line: string, signal: AbortSignal): Promise<LineResult>
  ended: Promise<ConnectionEnd>
  close(): Promise<void>
}

type LineResult = { outcome: "accepted" } | { outcome: "refused" | "unknown"; reason: string }

const joinWithinMs = 8000
const answerWithinMs = 30_000
const regainEveryMs = 60_000
const rejoinAfterMs = 60_000
const closeWithinMs = 2000
const quitText = "Goodbye"

type Vendor = typeof import("irc-framework")

export function openIrcConnection(
  vendor: Vendor,
  transport: unknown,
  needs: IrcConnectionNeeds,
): IrcConnection {
  const { clock, settings } = needs
  const client = new vendor.Client()
  const ended = Promise.withResolvers<ConnectionEnd>()
  const timers = createTimers(clock)
  const waiting = new Set<(said: LineResult) => void>()
  const answers = new Map<string, (said: LineResult) => void>()
  let isRegistered = false
  let isReady = false
  let isSignedIn = false
  let fatal: string | undefined
  let lastError = ""
  let tokens = 0

  const unjoined = new Set(settings.channels.map((channel) => client.caseLower(nameOf(channel))))
  const joined = (channel: string) => {
    unjoined.delete(client.caseLower(channel))
    if (unjoined.size === 0) ready()
  }
  const ready = () => {
    if (isReady || !isRegistered) return
    isReady = true
    needs.onReady()
  }
  const isUs = (nick: string) => client.caseCompare(nick, client.user.nick)
  const giveUp = (problem: string) => {
    fatal ??= problem
    client.connection.end(null, true)
  }

  client.on("registered", () => {
    if (settings.account !== "" && !isSignedIn)
      return giveUp(
        "This IRC server did not log us in with SASL; clear chat.irc.account, or use a server that supports SASL.",
      )
    isRegistered = true
    for (const channel of settings.channels) client.raw(`JOIN ${channel}`)
    if (unjoined.size === 0) ready()
    timers.after(joinWithinMs, ready)
    timers.every(regainEveryMs, regain)
  })
  const regain = () => {
    if (isRegistered && !isUs(settings.nick)) client.raw(`NICK ${settings.nick}`)
  }
  client.on("loggedin", () => {
    isSignedIn = true
  })
  client.on("sasl failed", ({ reason }) =>
    giveUp(
      `The IRC server rejected the password of ${settings.account} (${reason}); run \`reverie chat setup irc\`.`,
    ),
  )
  client.on("nick in use", ({ nick }) => {
    if (!isRegistered) client.raw(`NICK ${otherNick(nick, settings.nick, needs.random)}`)
  })
  client.on("nick invalid", ({ nick }) => {
    if (isRegistered) return
    // Some servers allow nine characters only.
    if (nick.length > 9) client.raw(`NICK ${settings.nick.slice(0, 9)}`)
    else giveUp(`The IRC server rejects the nick ${nick}; set another chat.irc.nick.`)
  })
  client.on("quit", ({ nick }) => client.caseCompare(nick, settings.nick) && regain())
  client.on("nick", ({ nick }) => client.caseCompare(nick, settings.nick) && regain())
  client.on("join", ({ nick, channel }) => isUs(nick) && joined(channel))
  client.on("kick", ({ kicked, nick, channel, message }) => {
    if (!isUs(kicked)) return
    needs.onProblem(`${nick} removed us from ${channel}: ${message}`)
    const wanted = settings.channels.find((one) => client.caseCompare(nameOf(one), channel))
    if (wanted !== undefined) timers.after(rejoinAfterMs, () => client.raw(`JOIN ${wanted}`))
  })
  client.on("privmsg", (event) => !event.from_server && !isUs(event.nick) && needs.onMessage(event, false))
  client.on("action", (event) => !event.from_server && !isUs(event.nick) && needs.onMessage(event, true))
  client.on("irc error", ({ error, reason = "", channel }) => {
    lastError = reason
    if (error === "password_mismatch" || (!isRegistered && /bad password/i.test(reason)))
      return giveUp("The IRC server rejects the password; run `reverie chat setup irc`.")
    if (error === "banned_from_network") return giveUp(`The IRC server refuses the connection: ${reason}`)
    const problem = channel === undefined ? undefined : joinProblem(error, channel)
    if (problem === undefined || channel === undefined) return
    needs.onProblem(problem)
    joined(channel)
  })
  client.on("pong", ({ message }) => answers.get(message)?.({ outcome: "accepted" }))
  client.on("raw", ({ line, from_server }) => {
    const refusal = from_server ? refusalIn(line) : undefined
    if (refusal) for (const settle of waiting) settle({ outcome: "refused", reason: refusal })
  })
  client.on("socket close", (error) => {
    timers.stop()
    const reason = error ? error.message : lastError || "the IRC server closed the connection"
    for (const settle of waiting) settle({ outcome: "unknown", reason })
    isRegistered = false
    isReady = false
    ended.resolve({ reason, fatal })
  })

  client.connect({
    host: settings.host,
    port: settings.port,
    tls: settings.tls,
    rejectUnauthorized: settings.tlsFingerprint === "",
    nick: settings.nick,
    username: settings.nick.replaceAll(/[^A-Za-z0-9]/g, "").slice(0, 9) || "reverie",
    gecos: "Reverie, a bot",
    ...(settings.password !== "" && settings.account === "" ? { password: settings.password } : {}),
    account: settings.account === "" ? {} : { account: settings.account, password: settings.password },
    sasl_disconnect_on_fail: true,
    // CTCP requests, such as for our version, are not answered.
    version: null,
    auto_reconnect: false,
    ping_interval: 30,
    ping_timeout: 120,
    transport,
  })

  return {
    nick: () => client.user.nick,
    isReady: () => isReady,
    isSame: (one, other) => client.caseCompare(one, other),
    fold: (name) => client.caseLower(name),
    sendLine(target, line, signal) {
      if (!isReady) return Promise.resolve({ outcome: "refused", reason: "There is no connection to IRC." })
      tokens += 1
      const token = `said-${tokens}`
      const said = Promise.withResolvers<LineResult>()
      const off = timers.after(answerWithinMs, () =>
        said.resolve({ outcome: "unknown", reason: "The IRC server did not answer." }),
      )
      const aborted = () =>
        said.resolve({ outcome: "unknown", reason: "It was cancelled while it was sent." })
      signal.addEventListener("abort", aborted, { once: true })
      waiting.add(said.resolve)
      answers.set(token, said.resolve)
      client.raw(`PRIVMSG ${target} :${line}`)
      // The server answers in order: when the PONG arrives, it has accepted or refused the line.
      client.raw(`PING ${token}`)
      return said.promise.finally(() => {
        off()
        signal.removeEventListener("abort", aborted)
        waiting.delete(said.resolve)
        answers.delete(token)
      })
    },
    ended: ended.promise,
    async close() {
      client.quit(quitText)
      const off = clock.after(closeWithinMs, () => client.connection.end(null, true))
      await ended.promise
      off()
    },
  }
}

function nameOf(channel: string): string {
  return channel.split(" ")[0] ?? channel
}

/** Another nick if one is in use: with underscores, then with digits. */
function otherNick(taken: string, wanted: string, random: Random): string {
  if (taken.length < wanted.length + 2 && taken.length < 9) return `${taken}_`
  return `${wanted.slice(0, 6)}${String(Math.floor(random.next() * 1000)).padStart(3, "0")}`
}

/** Why the server refused a message, if the line is such a refusal. */
function refusalIn(line: string): string | undefined {
  const found = /^(?:@\S+ )?:\S+ (?:40[13457]|41[1234]|437|439|477|489|531) \S+ (?<rest>.*)$/.exec(
    line.trimEnd(),
  )
  return found?.groups && `The IRC server refused it: ${found.groups.rest?.replace(" :", ": ")}.`
}

/** Timers that are stopped together. */
function createTimers(clock: Clock) {
  const offs = new Set<() => void>()
  const after = (ms: number, run: () => void) => {
    const off = clock.after(ms, () => {
      offs.delete(off)
      run()
    })
    offs.add(off)
    return () => {
      offs.delete(off)
      off()
    }
  }
  const every = (ms: number, run: () => void) => {
    after(ms, () => {
      run()
      every(ms, run)
    })
  }
  return {
    after,
    every,
    stop() {
      for (const off of offs) off()
      offs.clear()
    },
  }
}
