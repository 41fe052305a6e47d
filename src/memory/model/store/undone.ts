import { readJournal } from "../../../storage/journal.ts"
import type { Reader } from "../../../storage/transaction.ts"

/** Whether the latest undo of an operation has not itself been undone. */
export async function isUndone(on: Reader, operation: string): Promise<boolean> {
  const [last] = await readJournal(on, {
    subject: operation,
    kind: "operation.undone",
    limit: 1,
    newestFirst: true,
  })
  return last !== undefined && !(await isUndone(on, last.operation))
}
