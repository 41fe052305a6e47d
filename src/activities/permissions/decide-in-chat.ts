import type { Log } from "../../base/log.ts"
import type { Channel, ChatMessage } from "../../chat/channels/channel.ts"
import { plainLine, withoutMarkup } from "../../safety/notify/plain-text.ts"
import type { Approvals } from "../../safety/permission/approvals.ts"
import { containsCode, parseDecision } from "../../safety/permission/decision-text.ts"
import type { PermissionRequest } from "../../safety/permission/request.ts"

interface ChatDecisionOptions {
  log: Log
  approvals: Pick<Approvals, "answer">
  /** Who may decide in chat, such as discord:80351110224678912. */
  people: ReadonlySet<string>
}

/**
 * A channel on which people decide requests in private. Decisions and notices with codes are handled here and go no
 * further: no model and no store ever sees a code.
 */
export function withDecisions(
  needs: ChatDecisionOptions,
  channel: Channel,
  inBackground: (work: Promise<unknown>) => void,
): Channel {
  const { platform, capabilities } = channel
  if (!capabilities.direct || needs.people.size === 0) return channel
  const personOf = ({ author }: ChatMessage) => `${platform}:${author.id}`
  const isDecision = (message: ChatMessage) =>
    message.isPrivate &&
    !(message.isOurs || message.author.isBot || message.isVoice) &&
    needs.people.has(personOf(message)) &&
    parseDecision(message.text) !== undefined
  const isNotice = ({ isPrivate, isOurs, text }: ChatMessage) => isPrivate && isOurs && containsCode(text)
  return {
    ...channel,
    start: (onEvent) =>
      channel.start((event) => {
        if (event.kind === "message" && isNotice(event.message)) return
        // An edited message is not a sent decision.
        if (event.kind === "edited" && isPrivate(event) && parseDecision(event.text)) return
        if (event.kind === "message" && isDecision(event.message))
          return inBackground(decide(needs, channel, personOf(event.message), event.message))
        onEvent(event)
      }),
    async history(room, options) {
      const found = await channel.history(room, options)
      return found.filter((message) => !isNotice(message) && !isDecision(message))
    },
  }
}

function isPrivate({ room }: { room: ChatMessage["room"] }): boolean {
  return room.community.startsWith("dm:")
}

/** Decides, and answers the person with the result. */
async function decide(
  { approvals, log }: ChatDecisionOptions,
  channel: Channel,
  person: string,
  { id, room, text: message }: ChatMessage,
): Promise<void> {
  const decided = await approvals.answer({ person, from: channel.platform, text: message })
  if (decided === undefined) return
  const text = decided.outcome === "refused" ? decided.reason : sentenceOf(decided.request)
  const outgoing = { text, replyTo: id, key: `decided ${id}`, mayStillSend: () => true }
  const sent = await channel.send(room, outgoing, new AbortController().signal)
  if (sent.outcome !== "sent")
    log.warn("The result of a decision in chat could not be sent.", { reason: sent.reason })
}

function sentenceOf({ id, state, call, description }: PermissionRequest): string {
  const what = `${withoutMarkup(plainLine(description, 160))} (${id})`
  if (state === "denied") return `You denied it, so it is not done: ${what}`
  const then = call === null ? "the agent learns it in its next cycle" : "it is done once, exactly as shown"
  return `You approved it, and ${then}: ${what}`
}
