import { isoTime } from "../../base/clock.ts"
import { count, shorten } from "../../base/text/text.ts"
import { isAgentNote } from "../model/agents/agents.ts"
import type { Belief } from "../model/decay.ts"
import type { Memory } from "../model/memory.ts"
import type { Neighbour, Why } from "./why.ts"

const sources: Record<Memory["source"], string> = {
  "user-corrected": "The user corrected it to this",
  "user-stated": "The user said so",
  observed: "It was observed",
  extracted: "It was extracted from a conversation",
  inferred: "It was inferred from other things",
}

/** Why a memory is believed, in sentences. */
export function whySentences(why: Why): string[] {
  const { memory, belief } = why
  return [
    `${isAgentNote(memory) ? "It was noted by an agent" : sources[memory.source]}, on ${day(memory.createdAt)}${originText(memory)}.`,
    ...originDetails(memory),
    beliefText(belief, why.confirmedAt),
    ...usageText(memory),
    ...outdatedText(memory),
    ...statusText(why),
    ...neighbourText(why),
  ]
}

function day(ms: number): string {
  return isoTime(ms).slice(0, 10)
}

function originText({ sessionId, messageIndex, details }: Memory): string {
  if (sessionId === null) return ""
  const end = details.messageEnd === undefined ? "" : ` to ${details.messageEnd}`
  const message = messageIndex === null ? "" : `, message ${messageIndex}${end}`
  return `, in session ${sessionId}${message}`
}

function originDetails({ sourceId, details, audience }: Memory): string[] {
  const { files = [], context, reason } = details
  return [
    ...(sourceId === null ? [] : [`Its id at its source is ${sourceId}.`]),
    ...(files.length === 0 ? [] : [`It is about ${files.join(", ")}.`]),
    ...(context === undefined ? [] : [`It was said in this context: ${shorten(context, 300)}`]),
    ...(reason === undefined ? [] : [`The reason: ${shorten(reason, 300)}`]),
    ...(audience === null ? [] : [`Only ${audience} may see it.`]),
  ]
}

/** How the confidence is computed, in words. */
function beliefText(belief: Belief, confirmedAt: number): string {
  const { confidence, days, halfLifeDays, faded, used, trusted, now } = belief
  const age = days < 1 ? "today" : `${count(Math.floor(days), "day")} ago (${day(confirmedAt)})`
  const capped = confidence * faded * used * trusted > 1 ? ", and no more than 1" : ""
  const sum = `${figure(confidence)} × ${figure(faded)} × ${figure(used)} × ${figure(trusted)} = ${figure(now)}`
  return [
    `Its confidence now is ${figure(now)} of 1: ${sum}${capped}.`,
    `It began with ${figure(confidence)}; it was confirmed ${age} and halves every ${halfLifeDays} days (× ${figure(faded)});`,
    `use raises it a little (× ${figure(used)}), and trust in its source counts (× ${figure(trusted)}).`,
  ].join(" ")
}

function figure(value: number): string {
  return String(Math.round(value * 1000) / 1000)
}

function usageText({ strength, accessCount, details }: Memory): string[] {
  const { reinforcements = [], helpful = 0, unhelpful = 0 } = details
  const last = reinforcements.at(-1)
  const again = last ? `, the last time on ${day(last.at)}` : ""
  return [
    ...(strength > 1 ? [`It was said or found ${count(strength, "time")}${again}.`] : []),
    ...(accessCount > 0 ? [`It was used ${count(accessCount, "time")}.`] : []),
    ...(helpful + unhelpful > 0
      ? [`It was rated helpful ${count(helpful, "time")}, unhelpful ${count(unhelpful, "time")}.`]
      : []),
  ]
}

function outdatedText({ details }: Memory): string[] {
  if (details.outdated === undefined) return []
  const { at, notes } = details.outdated
  return [
    `The repository says otherwise since ${day(at)}: ${notes.map((note) => shorten(note, 300)).join(" ")}`,
  ]
}

function statusText({ memory, supersededBy }: Why): string[] {
  if (memory.status === "active") return []
  if (supersededBy) return [`It was replaced by ${quoted(supersededBy)}.`]
  if (memory.status === "quarantined" && isAgentNote(memory)) {
    return [
      `It waits for your confirmation: searches do not return it until you run \`reverie memory restore ${memory.id}\`.`,
    ]
  }
  if (memory.status === "quarantined") {
    return [
      "It is quarantined: searches do not return it until another session or you confirm it (rate, edit or restore it).",
    ]
  }
  return [`It is ${memory.status}: searches do not return it.`]
}

function neighbourText(why: Why): string[] {
  const list = (begin: string, others: readonly Neighbour[]) =>
    others.length === 0 ? [] : [`${begin} ${others.map(quoted).join("; ")}.`]
  const { tags } = why.memory
  return [
    ...list("It replaced", why.supersedes),
    ...list("It contradicts", why.contradicts),
    ...list("It may replace", why.mayReplace),
    ...list("It may be replaced by", why.mayBeReplacedBy),
    ...list("It was made from", why.derivedFrom),
    ...list("It is related to", why.relatesTo),
    ...(tags.length === 0 ? [] : [`Its tags: ${tags.join(", ")}.`]),
    ...why.clusters.map(({ name }) => `It belongs to the cluster "${name}".`),
  ]
}

function quoted({ id, content, status }: Neighbour): string {
  return `${id} "${shorten(content, 80)}"${status === "active" ? "" : ` (${status})`}`
}
