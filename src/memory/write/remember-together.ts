import { yieldToEventLoop } from "../../base/clock.ts"
import type { By } from "../../storage/journal.ts"
import type { Transaction } from "../../storage/transaction.ts"
import type { ParsedMemory } from "../model/memory.ts"
import { embedTexts } from "./embed-texts.ts"
import type { Written } from "./plan.ts"
import { type MemoryWriteCore, prepareMemory, type ReadyMemory, type Refused } from "./prepare.ts"
import { type Remembered, writeMemories } from "./remember.ts"

/** Work in the transaction that writes the memories. */
export interface WriteTogetherHooks {
  /** If false, nothing is written. */
  mayWrite(transaction: Transaction): Promise<boolean>
  after(transaction: Transaction, outcomes: readonly Remembered[]): Promise<void>
}

/** Remembers texts in one transaction; returns their outcomes in order, or undefined if `mayWrite` forbade it. */
export async function rememberTogether(
  needs: MemoryWriteCore,
  memories: readonly ParsedMemory[],
  by: By,
  along: WriteTogetherHooks,
): Promise<Remembered[] | undefined> {
  const prepared: (ReadyMemory | Refused)[] = []
  for (const memory of memories) {
    await yieldToEventLoop()
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
