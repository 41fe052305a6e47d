import type { Clock } from "../../base/clock.ts"
import { isLoopback, isSafeForKeys } from "../../base/net/web-address.ts"
import type { Environment } from "../../config/environment.ts"
import type { Config } from "../../config/schema.ts"
import { findInPath } from "../../llm/bridges/find-program.ts"
import { readCredentials } from "../../llm/signin/credentials.ts"
import { chatNotifier, type SendInChat } from "./channels/chat.ts"
import { desktopNotifier } from "./channels/desktop.ts"
import { emailNotifier } from "./channels/email.ts"
import { ntfyNotifier } from "./channels/ntfy.ts"
import { smsNotifier } from "./channels/sms.ts"
import { webhookNotifier } from "./channels/webhook.ts"
import type { Notifier } from "./notice.ts"

export interface NotifierOptions {
  clock: Clock
  env: Environment
  config: Pick<Config, "notify" | "chat">
  credentialsFile: string
  fetch: typeof globalThis.fetch
  platform: NodeJS.Platform
  /** Sends private messages in the running chat channels. */
  sendInChat?: SendInChat | undefined
}

/** The usable channels of the configuration. */
export interface OpenedNotifiers {
  notifiers: Notifier[]
  /** Why the others cannot be used, as sentences that say what to do. */
  problems: string[]
}

type Opened = Notifier[] | string

export function openNotifiers(needs: NotifierOptions): OpenedNotifiers {
  const opened = [desktop(needs), email(needs), sms(needs), webhook(needs), ntfy(needs), chat(needs)]
  return {
    notifiers: opened.flatMap((one) => (typeof one === "string" ? [] : one)),
    problems: opened.filter((one) => typeof one === "string"),
  }
}

/** Who may decide by link or code: the recipients in the current configuration. */
export function peopleWhoDecide({ notify }: Pick<Config, "notify">): Set<string> {
  return new Set([
    ...notify.email_to,
    ...(notify.sms_detailed && notify.sms_to !== "" ? [notify.sms_to] : []),
    ...(notify.webhook_detailed && notify.webhook_url !== "" ? ["webhook"] : []),
    ...(notify.ntfy_topic === "" ? [] : [`ntfy:${notify.ntfy_topic}`]),
    ...notify.chat_to,
  ])
}

function desktop({ clock, env, config, platform }: NotifierOptions): Opened {
  const wanted = config.notify.desktop
  if (wanted === "off") return []
  const isMac = platform === "darwin"
  const hasDisplay =
    isMac || env.variable("DISPLAY") !== undefined || env.variable("WAYLAND_DISPLAY") !== undefined
  const name = isMac ? "osascript" : "notify-send"
  const program = findInPath(name, env.variable("PATH") ?? "")
  if (wanted === "auto" && (program === undefined || !hasDisplay)) return []
  if (program === undefined)
    return `notify.desktop is on, but ${name} is not installed; install it (Debian: libnotify-bin).`
  return [desktopNotifier({ clock, env }, { program, isMac })]
}

function email(needs: NotifierOptions): Opened {
  const { notify } = needs.config
  const { email_to: to, email_from: from, email_host: host, email_port: port, email_tls: tls } = notify
  if (to.length === 0) return []
  if (host === "" || from === "")
    return "notify.email_to is set, but mail needs notify.email_host and notify.email_from; set them."
  if (tls === "none" && !isLoopback(`http://${host.includes(":") ? `[${host}]` : host}`))
    return "notify.email_tls is none, which is only for a mail server on this machine; set it to starttls or tls."
  const password = secret(needs, "email", notify.email_password_env)
  if (notify.email_user !== "" && password === undefined)
    return missingSecret(
      "notify.email_user is set, but its password is not",
      "email",
      notify.email_password_env,
    )
  const server = { host, port, tls, user: notify.email_user, password }
  return to.map((address) => emailNotifier(server, { from, to: address }))
}

function sms(needs: NotifierOptions): Opened {
  const { notify } = needs.config
  const { sms_to: to, sms_from: from, sms_url: url, sms_user: user } = notify
  if (to === "") return []
  if (from === "" || url === "")
    return "notify.sms_to is set, but SMS needs notify.sms_url and notify.sms_from; set them."
  if (!isSafeForKeys(url))
    return "notify.sms_url must begin with https, because a password is sent there; change it."
  const password = secret(needs, "sms", notify.sms_password_env)
  if (password === undefined)
    return missingSecret(
      "notify.sms_to is set, but the provider's password is not",
      "sms",
      notify.sms_password_env,
    )
  return [smsNotifier(needs, { url, to, from, user, password, isDetailed: notify.sms_detailed })]
}

function webhook(needs: NotifierOptions): Opened {
  const { notify } = needs.config
  if (notify.webhook_url === "") return []
  const found = secret(needs, "webhook", notify.webhook_secret_env)
  if (found === undefined)
    return missingSecret(
      "notify.webhook_url is set, but its secret is not",
      "webhook",
      notify.webhook_secret_env,
    )
  if (notify.webhook_detailed && !isSafeForKeys(notify.webhook_url))
    return "notify.webhook_url must begin with https for notify.webhook_detailed; change it."
  return [
    webhookNotifier(needs, { url: notify.webhook_url, secret: found, isDetailed: notify.webhook_detailed }),
  ]
}

function ntfy(needs: NotifierOptions): Opened {
  const { notify } = needs.config
  if (notify.ntfy_topic === "") return []
  const token = secret(needs, "ntfy", notify.ntfy_token_env)
  if (token !== undefined && !isSafeForKeys(notify.ntfy_server))
    return "notify.ntfy_server must begin with https, because a token is sent there; change it."
  return [ntfyNotifier(needs, { server: notify.ntfy_server, topic: notify.ntfy_topic, token })]
}

function chat({ config, sendInChat = noChat }: NotifierOptions): Opened {
  const people = [...new Set(config.notify.chat_to)]
  if (people.length > 0 && !config.chat.discord.enabled)
    return "notify.chat_to names people on Discord, which is switched off; run `reverie chat setup discord`."
  return people.map((person) => chatNotifier(sendInChat, person))
}

const noChat: SendInChat = async () => ({
  outcome: "failed",
  reason: "No chat channel is running.",
  retry: true,
})

type SecretName = "email" | "sms" | "webhook" | "ntfy"

/** A channel's secret. The environment takes precedence over a saved one. */
function secret(
  { env, credentialsFile }: NotifierOptions,
  name: SecretName,
  variable: string,
): string | undefined {
  const fromVariable = variable === "" ? undefined : env.variable(variable)
  return fromVariable ?? readCredentials(credentialsFile).notify?.[name]
}

function missingSecret(what: string, name: SecretName, variable: string): string {
  const where = `notify.${name} in credentials.json`
  return `${what}; put it into ${variable === "" ? where : `the variable ${variable} or ${where}`}.`
}
