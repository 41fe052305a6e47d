import type { Core } from "../../storage/core.ts"
import type { Reader } from "../../storage/transaction.ts"
import { batchesOf } from "../model/store/batch.ts"
import { findMemories } from "../model/store/store.ts"
import type { GardenPass, OpenQuestion } from "./garden.ts"
import { keyOf, readAsked, readWaiting, saveMark, type WaitingQuestion } from "./marks.ts"
import type { Verdict } from "./verdicts.ts"

/** Questions that wait over several passes: a round finds each once, and a pass asks only some of them. */
export interface Waiting {
  /** Saves what the rules leave open, before the round continues. */
  add(verdicts: readonly Verdict[]): Promise<void>
  /** Asks the oldest questions that are still open and were not asked before. */
  ask(pass: GardenPass): Promise<void>
}

const mostWaiting = 500
const mostAskedAtOnce = 50

export async function openWaiting({ db, clock }: Core, name: string): Promise<Waiting> {
  const waiting = new Map((await readWaiting(db, name)).map((one) => [keyFor(one), one]))
  const save = () => saveMark(db, name, [...waiting.values()], clock.now())
  return {
    async add(verdicts) {
      const before = waiting.size
      for (const verdict of verdicts) {
        if (verdict.kind !== "ask" || waiting.size >= mostWaiting) continue
        const note = "They have nearly the same meaning, but different words."
        const one: WaitingQuestion = { kind: "duplicate", ids: [verdict.a.id, verdict.b.id], note }
        waiting.set(keyFor(one), one)
      }
      if (waiting.size > before) await save()
    },
    async ask(pass) {
      const asked = await readAsked(db)
      const before = waiting.size
      const known = await textsOf(db, [...waiting.values()])
      let count = 0
      for (const [key, { kind, ids, note }] of waiting) {
        const memories = ids.flatMap((id) => known.get(id) ?? [])
        const question: OpenQuestion = { kind, memories, note }
        if (memories.length < ids.length || asked.has(keyOf(question))) waiting.delete(key)
        else if (++count <= mostAskedAtOnce) pass.ask(question)
      }
      if (waiting.size < before) await save()
    },
  }
}

function keyFor({ kind, ids }: WaitingQuestion): string {
  return keyOf({ kind, memories: ids.map((id) => ({ id, content: "" })), note: "" })
}

/** The active memories of some questions, by id. */
async function textsOf(on: Reader, questions: readonly WaitingQuestion[]) {
  const texts = new Map<string, { id: string; content: string }>()
  for (const ids of batchesOf([...new Set(questions.flatMap((one) => one.ids))])) {
    for (const { id, content, status } of (await findMemories(on, ids)).values())
      if (status === "active") texts.set(id, { id, content })
  }
  return texts
}
