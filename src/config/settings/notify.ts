import { z } from "zod"
import { problemWithAddress } from "../../base/net/web-address.ts"
import { isTimeZone, key, table, timeOfDay, variableName } from "../key.ts"

/** One address, nothing that a mail program could read as several. */
const mailAddress = /^[^\s<>(),;:"\\@]+@[^\s<>(),;:"\\@]+$/

function isWebAddress(url: string): boolean {
  return url === "" || problemWithAddress(url) === undefined
}

/** An address that something can be put behind: no question, no fragment. */
function isBase(url: string): boolean {
  return isWebAddress(url) && !/[?#]/.test(url)
}

const webAddress = (fallback = "") => z.string().max(2000).refine(isWebAddress).default(fallback)
const variable = (fallback: string) => z.string().regex(variableName).default(fallback)
const variableExpected = "the name of an environment variable, or empty"

/** How a person is told that something waits for them. */
export const notifySchema = table({
  desktop: key(z.enum(["auto", "on", "off"]).default("auto"), {
    help: "Whether notices appear on your desktop, by notify-send or on a Mac by osascript. auto shows them where there is a display. Set off on a screen that others see.",
  }),
  min_urgency: key(z.enum(["low", "normal", "high"]).default("low"), {
    help: "How urgent a permission request must be for a notice. Raise it if you look into `reverie inbox` by yourself; what is less urgent waits there all the same.",
  }),
  batch_seconds: key(z.int().min(0).max(86_400).default(60), {
    help: "How long a notice waits for more to tell, so that several requests make one notice. 0 sends each at once.",
  }),
  quiet_start: key(z.string().regex(timeOfDay).default(""), {
    help: "When notices begin to wait for quiet_end, such as 22:00. Requests of high urgency are told all the same. Empty for no quiet hours.",
    expects: "a time such as 22:00, or empty",
  }),
  quiet_end: key(z.string().regex(timeOfDay).default(""), {
    help: "When notices that waited are sent, such as 07:30.",
    expects: "a time such as 07:30, or empty",
  }),
  time_zone: key(z.string().refine(isTimeZone).default(""), {
    help: "The time zone of the quiet hours, for a daemon that runs where you are not. Empty takes the machine's.",
    expects: "a time zone such as Europe/Berlin, or empty",
  }),
  cycle_summaries: key(z.boolean().default(false), {
    help: "Whether you are also told what each cycle did, when it ends. `reverie cycles` has it in any case.",
  }),
  link_base: key(z.string().max(2000).refine(isBase).default(""), {
    help: "The address under which you reach this daemon from outside, such as a tunnel or reverse proxy that leads to api.port. With it, private notices carry a link to a page where you decide; only that page is open without the installation's token. Empty sends no links.",
    expects: "empty or an address such as https://reverie.example.net",
  }),
  chat_to: key(
    z
      .array(z.string().regex(/^discord:\d{1,20}$/))
      .max(20)
      .default([]),
    {
      help: "Who gets notices as a private message in chat, in full and with codes to decide by: people by the platform and its own id for them. Only Discord proves who answers; on IRC anybody can take a name. Needs chat.discord.",
      expects:
        'a list of people on Discord (IRC does not prove who writes) by their user id, such as ["discord:80351110224678912"]',
    },
  ),
  email_to: key(z.array(z.string().max(254).regex(mailAddress)).max(20).default([]), {
    help: "Who gets notices by e-mail, in full and with a link of their own. Needs email_host and email_from.",
    expects: 'a list of addresses, such as ["ann@example.net"]',
  }),
  email_from: key(z.union([z.literal(""), z.string().max(254).regex(mailAddress)]).default(""), {
    help: "The address that notices come from; your mail server must accept it.",
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
    help: "How the way to the mail server is encrypted. none is only for a server on this machine.",
  }),
  email_user: key(z.string().max(254).default(""), {
    help: "The name to sign in with at the mail server. Empty signs in nowhere.",
    expects: "a name, or empty",
  }),
  email_password_env: key(variable("REVERIE_SMTP_PASSWORD"), {
    help: "The environment variable with the mail server's password. Without it the password is taken from notify.email in credentials.json.",
    expects: variableExpected,
  }),
  sms_to: key(
    z
      .string()
      .regex(/^(\+\d{6,15})?$/)
      .default(""),
    {
      help: "The telephone number that gets notices by SMS. Needs sms_url and sms_from.",
      expects: "empty or a number such as +4915112345678",
    },
  ),
  sms_from: key(
    z
      .string()
      .regex(/^[+\w ]{0,30}$/)
      .default(""),
    {
      help: "The number or name that messages come from, as your SMS provider knows it.",
      expects: "empty or a number or name",
    },
  ),
  sms_url: key(webAddress(), {
    help: "Where your SMS provider takes messages like Twilio: a form with To, From and Body, with basic authentication.",
    expects: "empty or an address such as https://api.twilio.com/2010-04-01/Accounts/AC…/Messages.json",
  }),
  sms_user: key(z.string().max(200).default(""), {
    help: "The account at the SMS provider, such as Twilio's account SID.",
    expects: "a name, or empty",
  }),
  sms_password_env: key(variable("REVERIE_SMS_PASSWORD"), {
    help: "The environment variable with the SMS provider's password. Without it the password is taken from notify.sms in credentials.json.",
    expects: variableExpected,
  }),
  sms_detailed: key(z.boolean().default(false), {
    help: "Whether messages say what is asked for, not only how many requests wait. SMS can be read on the way and on locked screens.",
  }),
  webhook_url: key(webAddress(), {
    help: "A server of yours that gets notices as JSON, signed (docs/notifications.md says how to check it).",
    expects: "empty or an address such as https://hooks.example.net/reverie",
  }),
  webhook_secret_env: key(variable("REVERIE_WEBHOOK_SECRET"), {
    help: "The environment variable with the secret that webhook notices are signed with. Without it the secret is taken from notify.webhook in credentials.json.",
    expects: variableExpected,
  }),
  webhook_detailed: key(z.boolean().default(false), {
    help: "Whether the webhook is told what is asked for, and gets links. Leave it off where what it gets is shown to others.",
  }),
  ntfy_topic: key(
    z
      .string()
      .regex(/^[\w-]{0,64}$/)
      .default(""),
    {
      help: "The ntfy topic that gets notices. Without a token anybody who knows the topic can read it, so it is told only how many requests wait.",
      expects: "empty or a topic of letters, digits, _ and -",
    },
  ),
  ntfy_server: key(webAddress("https://ntfy.sh"), {
    help: "The ntfy server. Change it if you run one of your own.",
    expects: "an address such as https://ntfy.sh",
  }),
  ntfy_token_env: key(variable("REVERIE_NTFY_TOKEN"), {
    help: "The environment variable with an ntfy access token, for a topic that only you can read. With it notices say what is asked for. Without it the token is taken from notify.ntfy in credentials.json.",
    expects: variableExpected,
  }),
})
