import { z } from "zod"
import { key, matching, serverAddress, table } from "../../key.ts"

/** An IRC channel, optionally followed by a space and its key. */
const ircChannel = /^[#&+!][^\s,:\p{Cc}]{1,199}( [^\s,:\p{Cc}]{1,50})?$/u
/** A nick that IRC servers accept. */
const ircNick = /^[A-Za-z[\]\\`_^{|}][A-Za-z0-9[\]\\`_^{|}-]{0,29}$/
const hostName = /^[A-Za-z0-9._:-]{0,253}$/
const fingerprint = /^([0-9A-Fa-f]{2}(:?[0-9A-Fa-f]{2}){31})?$/

/** The sections `[chat.discord]` and `[chat.irc]`. Tokens and passwords are stored elsewhere. */
export const chatChannels = {
  discord: table({
    enabled: key(z.boolean().default(false), {
      help: "Whether the daemon signs in to Discord with your bot's token. `reverie chat setup discord` asks for the token, stores it outside this file and turns this on.",
    }),
    notify_replied: key(z.boolean().default(false), {
      help: "Whether a reply notifies the person it answers. Nobody else is ever notified: mentions in the bot's messages stay plain text. Turn it on where answers come late.",
    }),
    api_url: serverAddress(
      "The address of Discord's API, up to and including /api, for your own proxy or a compatible server. The bot's token and all messages are sent there. It must use https unless it is on this machine. Empty means Discord itself.",
      "https://discord.com/api",
    ),
  }),
  irc: table({
    enabled: key(z.boolean().default(false), {
      help: "Whether the daemon joins an IRC network. `reverie chat setup irc` asks for the settings and turns this on.",
    }),
    host: key(matching(hostName), {
      help: "The IRC server, such as irc.libera.chat.",
      expects: "empty, or the name or address of a server",
    }),
    port: key(z.int().min(1).max(65_535).default(6697), {
      help: "The server's port: 6697 with TLS, usually 6667 without.",
    }),
    tls: key(z.boolean().default(true), {
      help: "Whether the connection is encrypted. Turn it off only for a server on this machine or in your own network: otherwise messages and the password can be read in transit.",
    }),
    tls_fingerprint: key(matching(fingerprint), {
      help: "The SHA-256 fingerprint of the server's certificate, for your own server with a self-signed certificate. Only a certificate with this fingerprint is then accepted. Empty accepts certificates of the usual authorities.",
      expects: "empty, or 64 hexadecimal digits with or without colons between each two",
    }),
    nick: key(matching(ircNick, "reverie"), {
      help: "The bot's nick. If it is taken, an underscore is appended, and the nick is changed back once it is free.",
      expects: "a nick of at most 30 letters, digits and []\\`_^{|}-, which begins with no digit",
    }),
    channels: key(z.array(z.string().regex(ircChannel)).max(50).default([]), {
      help: 'The channels to join, such as ["#garden"]; write a key after the name, with a space.',
      expects: 'a list of at most 50 channels such as "#garden" or "#garden KEY"',
    }),
    account: key(z.string().max(100).default(""), {
      help: "The account for SASL, with the password that `reverie chat setup irc` stores. Empty uses no SASL; a stored password is then sent to the server itself (PASS).",
      expects: "empty or the name of an account",
    }),
    seconds_between_lines: key(z.number().min(0).max(60).default(1.5), {
      help: "The pause between two lines, in seconds, after a burst of five. Servers disconnect faster clients; raise it if yours does.",
    }),
  }),
}
