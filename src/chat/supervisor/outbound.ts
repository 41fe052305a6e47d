import { messageOf } from "../../base/errors.ts"
import type { Channel, OutgoingFile, SendResult } from "../channels/channel.ts"
import type { Effect } from "../conversation/effect.ts"
import type { Conversation } from "./conversation.ts"

type Sending = Extract<Effect, { kind: "send" | "react" }>

const keptBack = "It was not sent: something newer came in."

/** Finds the files of an attachment. */
export type FindFiles = (attachment: string) => Promise<readonly OutgoingFile[]>

/** The only way to send. Nothing is sent unless its epoch is still the conversation's, right before. */
export function openOutbound(findFiles: FindFiles = async () => []) {
  const sending = new Map<Conversation, { run: string; stopping: AbortController }>()
  const typing = new Map<Conversation, AbortController>()

  const send = async (conversation: Conversation, channel: Channel, effect: Sending): Promise<void> => {
    const stopping = new AbortController()
    sending.set(conversation, { run: effect.run, stopping })
    let wasHeldBack = false
    const mayStillSend = () => {
      const may = conversation.mayStillSend(effect.run, effect.epoch)
      wasHeldBack ||= !may
      return may
    }
    const how = { mayStillSend, signal: stopping.signal, findFiles }
    const result = await deliver(channel, effect, conversation, how)
    if (sending.get(conversation)?.stopping === stopping) sending.delete(conversation)
    conversation.post({ kind: "sent", run: effect.run, result, wasHeldBack })
  }
  return {
    send(conversation: Conversation, channel: Channel, effect: Sending): void {
      void send(conversation, channel, effect)
    },
    typing(conversation: Conversation, channel: Channel, isOn: boolean): void {
      typing.get(conversation)?.abort()
      typing.delete(conversation)
      if (!isOn || !channel.capabilities.typing) return
      const stopping = new AbortController()
      typing.set(conversation, stopping)
      channel.typing(conversation.room, stopping.signal)
    },
    /** Aborts a send; parts that were sent stay sent. */
    abort(conversation: Conversation, run: string): void {
      const under = sending.get(conversation)
      if (under?.run === run) under.stopping.abort()
    },
    abortAll(conversation: Conversation): void {
      sending.get(conversation)?.stopping.abort()
      typing.get(conversation)?.abort()
      typing.delete(conversation)
    },
  }
}

async function deliver(
  channel: Channel,
  effect: Sending,
  { room }: Conversation,
  how: { mayStillSend(): boolean; signal: AbortSignal; findFiles: FindFiles },
): Promise<SendResult> {
  const { mayStillSend, signal, findFiles } = how
  if (!mayStillSend()) return { outcome: "refused", reason: keptBack }
  try {
    if (effect.kind === "react") {
      if (!channel.capabilities.reactions)
        return { outcome: "refused", reason: "This platform has no reactions." }
      return await channel.react(room, effect.message, effect.emoji)
    }
    const { text, key, replyTo, attachment } = effect
    const files = attachment === undefined ? undefined : await findFiles(attachment).catch(() => [])
    return await channel.send(room, { text, files, key, replyTo: replyTo ?? undefined, mayStillSend }, signal)
  } catch (error) {
    // A channel that throws may have sent it before.
    return { outcome: "unknown", reason: messageOf(error) }
  }
}
