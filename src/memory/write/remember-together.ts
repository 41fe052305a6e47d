import { nextTurn } from "../../base/clock.ts"
import type { By } from "../../storage/journal.ts"
import type { Transaction } from "../../storage/transaction.ts"
import type { CheckedMemory } from "../model/memory.ts"
import { embedTexts } from "./embed-texts.ts"
import type { Written } from "./plan.ts"
import { prepareMemory, type ReadyMemory, type Refused, type RememberNeeds } from "./prepare.ts"
import { type Remembered, writeMemories } from "./remember.ts"

/** What else belongs into the transaction that writes memories together. */
export interface AlongTogether {
  /** Whether they may be written; where not, nothing is. */
  mayWrite(transaction: Transaction): Promise<boolean>
  /** Hears what became of each, in order. */
  after(transaction: Transaction, told: readonly Remembered[]): Promise<void>
}

/** Remembers texts in one transaction, and tells what became of each, in order; undefined where none may be written. */
export async function rememberTogether(
  needs: RememberNeeds,
  memories: readonly CheckedMemory[],
  by: By,
  along: AlongTogether,
): Promise<Remembered[] | undefined> {
  const prepared: (ReadyMemory | Refused)[] = []
  for (const memory of memories) {
    await nextTurn()
    prepared.push(await prepareMemory(needs, memory))
  }
  const ready = prepared.flatMap((one) => ("outcome" in one ? [] : [one]))
  const embedded = await embedTexts(
    needs,
    ready.map(({ content }) => content),
  )
  let mayWrite = true
  const written = await writeMemories(needs, ready, embedded, by, {
    async before(transaction) {
      mayWrite = await along.mayWrite(transaction)
      return mayWrite ? undefined : []
    },
    after: (transaction, some) => along.after(transaction, inOrder(prepared, some)),
  })
  return mayWrite ? inOrder(prepared, written) : undefined
}

function inOrder(prepared: readonly (ReadyMemory | Refused)[], written: readonly Written[]): Remembered[] {
  let next = 0
  return prepared.flatMap((one) => ("outcome" in one ? one : (written[next++] ?? [])))
}
