// The library has no types; these are the parts we use.
declare module "irc-framework" {
  export interface IrcMessageEvent {
    from_server: boolean
    nick: string
    target: string
    message: string
    tags: Record<string, string>
    time?: number
    account?: string
  }
  interface IrcEvents {
    registered: { nick: string }
    privmsg: IrcMessageEvent
    action: IrcMessageEvent
    join: { nick: string; channel: string }
    kick: { kicked: string; nick: string; channel: string; message: string }
    quit: { nick: string }
    nick: { nick: string; new_nick: string }
    "nick in use": { nick: string; reason: string }
    "nick invalid": { nick: string; reason: string }
    "sasl failed": { reason: string; message?: string }
    loggedin: { account: string }
    pong: { message: string }
    "irc error": { error: string; reason?: string; channel?: string }
    raw: { line: string; from_server: boolean }
    "socket close": Error | false
  }
  export interface IrcOptions {
    host: string
    port: number
    tls: boolean
    rejectUnauthorized: boolean
    nick: string
    username: string
    gecos: string
    password?: string
    /** Empty for none: without it, the library uses the server's password for an account. */
    account: { account?: string; password?: string }
    sasl_disconnect_on_fail: boolean
    version: null
    auto_reconnect: boolean
    ping_interval: number
    ping_timeout: number
    transport: unknown
  }
  export class Client {
    user: { nick: string }
    connection: { end(line: null, hadError: boolean): void }
    on<Name extends keyof IrcEvents>(name: Name, listener: (event: IrcEvents[Name]) => void): this
    connect(options: IrcOptions): void
    raw(line: string): void
    quit(message: string): void
    caseCompare(one: string, other: string): boolean
    caseLower(text: string): string
  }
}

declare module "irc-framework/src/transports/net.js" {
  import type { TLSSocket } from "node:tls"

  class NetTransport {
    constructor(options: object)
    socket: TLSSocket | null
    last_socket_error: Error | null
    onSocketFullyConnected(): void
  }
  // biome-ignore lint/style/noDefaultExport: it is the library's
  export default NetTransport
}
