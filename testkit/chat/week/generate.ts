import type { ChatMessage, RoomRef } from "../../../src/chat/channels/channel.ts"
import { createDraw } from "../../draw.ts"
import { createSeededRandom } from "../../seeded-random.ts"
import { type RoomKind, weekRooms } from "./rooms.ts"

const dayMs = 86_400_000

/** A week of all six rooms from a Monday on, in the order of time; the same seed gives the same week. */
export function generateWeek(seed: number, start: number): ChatMessage[] {
  const messages = weekRooms.flatMap((kind, index) => weekOf(kind, seed * 100 + index, start))
  return messages.toSorted((a, b) => a.at - b.at)
}

function weekOf(kind: RoomKind, seed: number, start: number): ChatMessage[] {
  const random = createSeededRandom(seed)
  const draw = createDraw(random)
  const messages: ChatMessage[] = []
  const say = (room: RoomRef, at: number, changes: Partial<ChatMessage>) => {
    const isBot = random.next() < kind.bots
    const by = isBot ? "ci" : draw.pick(kind.people)
    messages.push({
      ...{ id: `${kind.name}-${messages.length}`, room, at: Math.round(at), replyTo: null },
      author: { id: by, name: by, isBot },
      text: draw.pick(kind.remarks),
      ...{ mentionsUs: false, isPrivate: false, isVoice: false, isOurs: false },
      ...changes,
    })
  }
  for (let day = 0; day < 7; day += 1) {
    let left = Math.round(kind.perDay * (day < 5 ? 1 : kind.weekend))
    while (left > 0) left -= exchange(day, Math.min(left, draw.number(1, 12)))
  }
  return messages

  /** People talk in bursts: a beginning, then answers within minutes, mostly in the daytime. */
  function exchange(day: number, length: number): number {
    const hour = 7 + (random.next() + random.next()) * 8
    let at = start + day * dayMs + hour * 3_600_000
    const thread = random.next() < kind.threads ? `t${day}-${messages.length}` : null
    const room = { platform: "week", community: "club", channel: kind.name, thread }
    const isAddressed = random.next() < kind.addressed
    const isQuestion = isAddressed || random.next() < kind.question
    for (let line = 0; line < length; line += 1) {
      const isFirst = line === 0
      const person = draw.pick(kind.people)
      const author = { id: person, name: person, isBot: false }
      const asked = { author, text: draw.pick(kind.questions), mentionsUs: isAddressed }
      say(room, at, isFirst && isQuestion ? asked : {})
      at += 5000 + random.next() * random.next() * 180_000
    }
    return length
  }
}
