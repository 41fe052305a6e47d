import type { Core } from "../../storage/core.ts"
import { batchesOf } from "../model/store/batch.ts"
import { findMemories } from "../model/store/store.ts"
import type { OpenQuestion, Tending } from "./garden.ts"
import { keepWaiting, keyOf, readAsked, readWaiting, type WaitingQuestion } from "./marks.ts"
import type { Verdict } from "./verdicts.ts"

/** What waits to be asked, over all passes: a round finds it once, and only some of it is asked at a time. */
export interface Waiting {
  /** Writes down what rules leave open, before the round goes past it. */
  add(verdicts: readonly Verdict[]): Promise<void>
  /** Asks the oldest of what is still open and was not asked before. */
  ask(tending: Tending): Promise<void>
}

const mostWaiting = 500
const mostAskedAtOnce = 50

/** Opens what waits under a name. */
export async function openWaiting({ db, clock }: Core, name: string): Promise<Waiting> {
  const waiting = new Map((await readWaiting(db, name)).map((one) => [keyFor(one), one]))
  const keep = () => keepWaiting(db, name, [...waiting.values()], clock.now())
  return {
    async add(verdicts) {
      const before = waiting.size
      for (const verdict of verdicts) {
        if (verdict.kind !== "ask" || waiting.size >= mostWaiting) continue
        const note = "They are nearly alike in meaning, but the words differ."
        const one: WaitingQuestion = { kind: "duplicate", ids: [verdict.a.id, verdict.b.id], note }
        waiting.set(keyFor(one), one)
      }
      if (waiting.size > before) await keep()
    },
    async ask(tending) {
      const asked = await readAsked(db)
      const before = waiting.size
      const known = await textsOf({ db }, [...waiting.values()])
      let count = 0
      for (const [key, { kind, ids, note }] of waiting) {
        const memories = ids.flatMap((id) => known.get(id) ?? [])
        const question: OpenQuestion = { kind, memories, note }
        if (memories.length < ids.length || asked.has(keyOf(question))) waiting.delete(key)
        else if (++count <= mostAskedAtOnce) tending.ask(question)
      }
      if (waiting.size < before) await keep()
    },
  }
}

function keyFor({ kind, ids }: WaitingQuestion): string {
  return keyOf({ kind, memories: ids.map((id) => ({ id, content: "" })), note: "" })
}

/** The memories that questions are about, those that are active. */
async function textsOf({ db }: Pick<Core, "db">, questions: readonly WaitingQuestion[]) {
  const texts = new Map<string, { id: string; content: string }>()
  for (const ids of batchesOf([...new Set(questions.flatMap((one) => one.ids))])) {
    for (const { id, content, status } of (await findMemories(db, ids)).values())
      if (status === "active") texts.set(id, { id, content })
  }
  return texts
}
