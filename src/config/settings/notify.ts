import { z } from "zod"
import { problemWithAddress } from "../../base/net/web-address.ts"
import { key, matching, quietHours, table, variableName } from "../key.ts"

/** Exactly one address. */
const mailAddress = /^[^\s<>(),;:"\\@]+@[^\s<>(),;:"\\@]+$/

function isWebAddress(url: string): boolean {
  return url === "" || problemWithAddress(url) === undefined
}

/** An address that a path can be appended to: no query, no fragment. */
function isBase(url: string): boolean {
  return isWebAddress(url) && !/[?#]/.test(url)
}

const webAddress = (fallback = "") => z.string().max(2000).refine(isWebAddress).default(fallback)
const variable = (fallback: string, help: string) =>
  key(matching(variableName, fallback), { help, expects: "the name of an environment variable, or empty" })

/** The section `[notify]`: how people learn that a request waits for them. */
export const notifySchema = table({
  desktop: key(z.enum(["auto", "on", "off"]).default("auto"), {
    help: "Whether notices appear on your desktop, through notify-send or, on a Mac, osascript. auto shows them where there is a display. Set off on a screen that others see.",
  }),
  min_urgency: key(z.enum(["low", "normal", "high"]).default("low"), {
    help: "The minimum urgency of a permission request that causes a notice. Raise it if you check `reverie inbox` yourself; less urgent requests wait there as well.",
  }),
  batch_seconds: key(z.int().min(0).max(86_400).default(60), {
    help: "How many seconds a notice waits for further requests, so that several make one notice. 0 sends each immediately.",
  }),
  ...quietHours({
    start:
      "The time, such as 22:00, from which notices wait until quiet_end. Notices of high urgency are sent anyway. Empty means no quiet hours.",
    end: "The time, such as 07:30, at which waiting notices are sent.",
    zone: "The time zone of the quiet hours, for a daemon that runs in another zone than yours. Empty uses the machine's.",
  }),
  cycle_summaries: key(z.boolean().default(false), {
    help: "Whether you also get a summary of each cycle when it ends. `reverie cycles` always shows it.",
  }),
  link_base: key(z.string().max(2000).refine(isBase).default(""), {
    help: "The address at which you reach this daemon from outside, such as a tunnel or reverse proxy to api.port. With it, private notices contain a link to a page where you decide; only that page works without the installation's token. Empty sends no links.",
    expects: "empty or an address such as https://reverie.example.net",
  }),
  chat_to: key(
    z
      .array(z.string().regex(/^discord:\d{1,20}$/))
      .max(20)
      .default([]),
    {
      help: "Who gets notices as a private chat message, with full details and codes to decide with: people by platform and user id. Only Discord authenticates who answers; on IRC anybody can take a name. Needs chat.discord.",
      expects:
        'a list of people on Discord (IRC does not prove who writes) by their user id, such as ["discord:80351110224678912"]',
    },
  ),
  email_to: key(z.array(z.string().max(254).regex(mailAddress)).max(20).default([]), {
    help: "Who gets notices by e-mail, with full details and a personal link. Needs email_host and email_from.",
    expects: 'a list of addresses, such as ["ann@example.net"]',
  }),
  email_from: key(z.union([z.literal(""), z.string().max(254).regex(mailAddress)]).default(""), {
    help: "The sender address of notices; your mail server must accept it.",
    expects: "empty or an address such as reverie@example.net",
  }),
  email_host: key(
    z
      .string()
      .max(253)
      .regex(/^[\w.:-]*$/)
      .default(""),
    {
      help: "Your mail server (SMTP).",
      expects: "empty or the name of a server",
    },
  ),
  email_port: key(z.int().min(1).max(65_535).default(587), {
    help: "The port of your mail server: 587 for starttls, 465 for tls.",
  }),
  email_tls: key(z.enum(["starttls", "tls", "none"]).default("starttls"), {
    help: "How the connection to the mail server is encrypted. none is only for a server on this machine.",
  }),
  email_user: key(z.string().max(254).default(""), {
    help: "The user name for the mail server. Empty sends without authentication.",
    expects: "a name, or empty",
  }),
  email_password_env: variable(
    "REVERIE_SMTP_PASSWORD",
    "The environment variable with the mail server's password. If it is not set, the password comes from notify.email in credentials.json.",
  ),
  sms_to: key(matching(/^(\+\d{6,15})?$/), {
    help: "The telephone number that gets notices by SMS. Needs sms_url and sms_from.",
    expects: "empty or a number such as +4915112345678",
  }),
  sms_from: key(matching(/^[+\w ]{0,30}$/), {
    help: "The sender number or name, as registered with your SMS provider.",
    expects: "empty or a number or name",
  }),
  sms_url: key(webAddress(), {
    help: "The address where your SMS provider accepts messages like Twilio: a form with To, From and Body, with basic authentication.",
    expects: "empty or an address such as https://api.twilio.com/2010-04-01/Accounts/AC…/Messages.json",
  }),
  sms_user: key(z.string().max(200).default(""), {
    help: "The account at the SMS provider, such as Twilio's account SID.",
    expects: "a name, or empty",
  }),
  sms_password_env: variable(
    "REVERIE_SMS_PASSWORD",
    "The environment variable with the SMS provider's password. If it is not set, the password comes from notify.sms in credentials.json.",
  ),
  sms_detailed: key(z.boolean().default(false), {
    help: "Whether messages describe the requests, not only how many wait. SMS can be read in transit and on locked screens.",
  }),
  webhook_url: key(webAddress(), {
    help: "A server of yours that receives notices as signed JSON (docs/notifications.md explains how to verify them).",
    expects: "empty or an address such as https://hooks.example.net/reverie",
  }),
  webhook_secret_env: variable(
    "REVERIE_WEBHOOK_SECRET",
    "The environment variable with the secret that signs webhook notices. If it is not set, the secret comes from notify.webhook in credentials.json.",
  ),
  webhook_detailed: key(z.boolean().default(false), {
    help: "Whether webhook notices describe the requests and contain links. Leave it off if others can see them.",
  }),
  ntfy_topic: key(matching(/^[\w-]{0,64}$/), {
    help: "The ntfy topic that receives notices. Without a token, anybody who knows the topic can read it, so notices only say how many requests wait.",
    expects: "empty or a topic of letters, digits, _ and -",
  }),
  ntfy_server: key(webAddress("https://ntfy.sh"), {
    help: "The ntfy server. Change it if you run your own.",
    expects: "an address such as https://ntfy.sh",
  }),
  ntfy_token_env: variable(
    "REVERIE_NTFY_TOKEN",
    "The environment variable with an ntfy access token, for a topic that only you can read. With it, notices describe the requests. If it is not set, the token comes from notify.ntfy in credentials.json.",
  ),
})
