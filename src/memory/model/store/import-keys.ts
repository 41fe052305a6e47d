import { createHash } from "node:crypto"
import { sql, sqlList, sqlRows } from "../../../storage/sql.ts"
import type { Reader, Transaction } from "../../../storage/transaction.ts"
import { batchesOf } from "./batch.ts"
import { isUndone } from "./undone.ts"

/** One imported item: its key, the operation that imported it, and the memory it became or was merged into. */
export interface ImportKey {
  key: string
  operation: string
  memory: string
}

/** A short hash that identifies an imported item. */
export function importKeyOf(parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url").slice(0, 22)
}

/** Returns a lookup of earlier imports: key to memory. Items of undone imports are left out, so they can be imported again. */
export function createImportLookup(on: Reader): (keys: readonly string[]) => Promise<Map<string, string>> {
  const undone = new Map<string, boolean>()
  const isActive = async (operation: string) => {
    const known = undone.get(operation) ?? (await isUndone(on, operation))
    undone.set(operation, known)
    return !known
  }
  return async (keys) => {
    const known = new Map<string, string>()
    for (const some of batchesOf(keys)) {
      const rows = await on.read<ImportKey>(
        sql`select key, operation, memory from import_keys where key in ${sqlList(some)}`,
      )
      for (const { key, operation, memory } of rows) if (await isActive(operation)) known.set(key, memory)
    }
    return known
  }
}

/** Saves the keys of imported items, in the transaction that writes them. */
export async function saveImportKeys(transaction: Transaction, keys: readonly ImportKey[]): Promise<void> {
  const last = new Map(keys.map((one) => [one.key, one]))
  for (const some of batchesOf([...last.values()])) {
    const rows = some.map(({ key, operation, memory }) => [key, operation, memory])
    await transaction.run(sql`
      insert into import_keys (key, operation, memory) values ${sqlRows(rows)}
      on conflict (key) do update set operation = excluded.operation, memory = excluded.memory`)
  }
}
