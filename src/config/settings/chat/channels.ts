import { z } from "zod"
import { isWebUrl, key, table } from "../../key.ts"

/** A channel's name as IRC writes it, with its key behind a space where it has one. */
const ircChannel = /^[#&+!][^\s,:\p{Cc}]{1,199}( [^\s,:\p{Cc}]{1,50})?$/u
/** A nick that servers take. */
const ircNick = /^[A-Za-z[\]\\`_^{|}][A-Za-z0-9[\]\\`_^{|}-]{0,29}$/
const hostName = /^[A-Za-z0-9._:-]{0,253}$/
const fingerprint = /^([0-9A-Fa-f]{2}(:?[0-9A-Fa-f]{2}){31})?$/

/** The sections of the platforms we can sit in: `[chat.discord]` and `[chat.irc]`. Tokens and passwords stand elsewhere. */
export const chatChannels = {
  discord: table({
    enabled: key(z.boolean().default(false), {
      help: "Whether the daemon signs in to Discord with your bot's token. `reverie chat setup discord` asks for the token, keeps it outside this file and switches this on.",
    }),
    notify_replied: key(z.boolean().default(false), {
      help: "Whether the person an answer replies to is notified. Nobody else ever is: mentions in what the bot writes stay text. Switch it on where answers come late and people should be called back.",
    }),
    api_url: key(z.string().refine(isWebUrl).default(""), {
      help: "Where Discord's API answers, up to and including /api, for a proxy of your own or a server that speaks the same protocol. The bot's token and all messages go there. It must use https unless it is on this machine. Empty means Discord itself.",
      expects:
        "empty or the address of a server without a name or password in it, such as https://discord.com/api",
    }),
  }),
  irc: table({
    enabled: key(z.boolean().default(false), {
      help: "Whether the daemon joins an IRC network. `reverie chat setup irc` asks for what is needed and switches this on.",
    }),
    host: key(z.string().regex(hostName).default(""), {
      help: "The IRC server, such as irc.libera.chat.",
      expects: "empty, or the name or address of a server",
    }),
    port: key(z.int().min(1).max(65_535).default(6697), {
      help: "The server's port: 6697 with TLS, usually 6667 without.",
    }),
    tls: key(z.boolean().default(true), {
      help: "Whether the connection is encrypted. Switch it off only for a server on this machine or in your own network: everything said, and the password, can be read on the way.",
    }),
    tls_fingerprint: key(z.string().regex(fingerprint).default(""), {
      help: "The SHA-256 fingerprint of the server's certificate, for a server of your own that signed it itself. Only a certificate with this fingerprint is then accepted. Empty accepts what the usual authorities signed.",
      expects: "empty, or 64 hexadecimal digits with or without colons between each two",
    }),
    nick: key(z.string().regex(ircNick).default("reverie"), {
      help: "The name it has there. If somebody has it already, an underscore is put behind, and the name is taken back once it is free.",
      expects: "a nick of at most 30 letters, digits and []\\`_^{|}-, which begins with no digit",
    }),
    channels: key(z.array(z.string().regex(ircChannel)).max(50).default([]), {
      help: 'The channels it joins, such as ["#garden"]; a channel with a key has it behind a space.',
      expects: 'a list of at most 50 channels such as "#garden" or "#garden KEY"',
    }),
    account: key(z.string().max(100).default(""), {
      help: "The account it signs in to with SASL, with the password that `reverie chat setup irc` keeps. Empty signs in to none; a password that was kept is then given to the server itself (PASS).",
      expects: "empty or the name of an account",
    }),
    seconds_between_lines: key(z.number().min(0).max(60).default(1.5), {
      help: "After five lines at once, how many seconds lie between two. Servers cut off whoever is faster; raise it if yours does.",
    }),
  }),
}
