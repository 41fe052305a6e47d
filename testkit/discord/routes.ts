import type { Answer, Route, UploadedFile } from "./rest.ts"
import {
  channelPayload,
  messagePayload,
  type Payload,
  type PeerChannel,
  type PeerMessage,
  userPayload,
  type World,
} from "./world.ts"

interface RouteNeeds {
  world: World
  bot: string
  gatewayUrl: string
  post(
    fields: Omit<PeerMessage, "id" | "author" | "at" | "editedAt">,
    more: { allowedMentions: unknown; files: UploadedFile[] },
  ): PeerMessage
  /** The private talk with somebody; undefined for nobody. */
  openDm(user: string): PeerChannel | undefined
  react(message: string, emoji: string): void
  typing(channel: string): void
}

const notFound = (code: number, message: string): Answer => ({ status: 404, body: { code, message } })
const noAccess: Answer = { status: 403, body: { code: 50013, message: "Missing Permissions" } }
const invalid = (message: string): Answer => ({ status: 400, body: { code: 50035, message } })

/** The routes a bot that reads and writes needs. */
export function routesOf(needs: RouteNeeds): Route[] {
  const { world, bot } = needs
  const byNonce = new Map<string, PeerMessage>()
  const shown = (message: PeerMessage): Answer => ({ status: 200, body: messagePayload(world, message) })

  const post = (channel: string, body: Payload, files: UploadedFile[]): Answer => {
    const text = String(body.content ?? "")
    const nonce = body.nonce === undefined ? null : String(body.nonce)
    const problem = problemWithPost(world, channel, { text, nonce, files })
    if (problem) return problem
    const key = `${channel} ${nonce}`
    const earlier = nonce !== null && body.enforce_nonce === true ? byNonce.get(key) : undefined
    if (earlier) return shown(earlier)
    const replyTo = referencedBy(world, body)
    if (replyTo === undefined) return invalid("Unknown message")
    const attachments = files.map(({ name, type, bytes }) => ({
      ...{ filename: name, contentType: type, size: bytes.byteLength },
    }))
    const fields = { channel, text, nonce, replyTo, mentions: [], extras: { attachments } }
    const message = needs.post(fields, { allowedMentions: body.allowed_mentions, files })
    if (nonce !== null) byNonce.set(key, message)
    return shown(message)
  }

  const history = (channel: string, query: URLSearchParams): Answer => {
    if (!world.channels.has(channel)) return notFound(10_003, "Unknown Channel")
    const limit = Number(query.get("limit") ?? 50)
    if (!(limit >= 1 && limit <= 100)) return invalid("limit must be from 1 to 100")
    const [before, after] = [query.get("before"), query.get("after")]
    const all = [...world.messages.values()].filter(
      (message) =>
        message.channel === channel &&
        (before === null || BigInt(message.id) < BigInt(before)) &&
        (after === null || BigInt(message.id) > BigInt(after)),
    )
    const page = after === null ? all.slice(-limit) : all.slice(0, limit)
    return { status: 200, body: page.reverse().map((message) => messagePayload(world, message)) }
  }

  const me = () => {
    const user = world.users.get(bot)
    return user ? userPayload(user) : {}
  }
  return [
    {
      method: "GET",
      path: /^\/gateway\/bot$/,
      answer: () => ({
        status: 200,
        body: {
          url: needs.gatewayUrl,
          shards: 1,
          session_start_limit: { total: 1000, remaining: 999, reset_after: 1000, max_concurrency: 1 },
        },
      }),
    },
    { method: "GET", path: /^\/users\/@me$/, answer: () => ({ status: 200, body: me() }) },
    {
      method: "GET",
      path: /^\/(?:oauth2\/)?applications\/@me$/,
      answer: () => ({ status: 200, body: { id: bot, name: "reverie", flags: 1 << 19, bot_public: true } }),
    },
    {
      method: "POST",
      path: /^\/users\/@me\/channels$/,
      answer: ({ body }) => {
        const channel = needs.openDm(String(body.recipient_id))
        if (channel === undefined)
          return { status: 400, body: { code: 50_033, message: "Invalid Recipient(s)" } }
        return { status: 200, body: channelPayload(world, channel) }
      },
    },
    {
      method: "GET",
      path: /^\/channels\/(\d+)$/,
      answer: (_, id = "") => {
        const channel = world.channels.get(id)
        if (channel === undefined) return notFound(10_003, "Unknown Channel")
        return { status: 200, body: channelPayload(world, channel) }
      },
    },
    {
      method: "GET",
      path: /^\/channels\/(\d+)\/messages$/,
      answer: ({ query }, id = "") => history(id, query),
    },
    {
      method: "POST",
      path: /^\/channels\/(\d+)\/messages$/,
      answer: ({ body, files }, id = "") => post(id, body, files),
    },
    {
      method: "POST",
      path: /^\/channels\/(\d+)\/typing$/,
      answer: (_, id = "") => {
        needs.typing(id)
        return { status: 204 }
      },
    },
    {
      method: "PUT",
      path: /^\/channels\/(\d+)\/messages\/(\d+)\/reactions\/([^/]+)\/@me$/,
      answer: (_, _channel = "", message = "", emoji = "") => {
        if (!world.messages.has(message)) return notFound(10_008, "Unknown Message")
        needs.react(message, emoji)
        return { status: 204 }
      },
    },
  ]
}

function problemWithPost(
  world: World,
  channel: string,
  { text, nonce, files }: { text: string; nonce: string | null; files: UploadedFile[] },
): Answer | undefined {
  const found = world.channels.get(channel)
  if (found === undefined) return notFound(10_003, "Unknown Channel")
  if (!found.isOpen || (files.length > 0 && found.takesFiles === false)) return noAccess
  if (files.some(({ bytes }) => bytes.byteLength > 10 * 1024 * 1024))
    return { status: 413, body: { code: 40_005, message: "Request entity too large" } }
  if (text.trim() === "" && files.length === 0)
    return { status: 400, body: { code: 50_006, message: "Cannot send an empty message" } }
  if (Array.from(text).length > 2000) return invalid("Must be 2000 or fewer in length.")
  if (nonce !== null && nonce.length > 25) return invalid("The nonce must be 25 or fewer in length.")
  return undefined
}

/** The message a post replies to; null for none, undefined for one that is not there and has to be. */
function referencedBy(world: World, body: Payload): string | null | undefined {
  const { message_id: id, fail_if_not_exists: isStrict = true } = (body.message_reference ?? {}) as Payload
  if (id === undefined || (!isStrict && !world.messages.has(String(id)))) return null
  return world.messages.get(String(id))?.id
}
