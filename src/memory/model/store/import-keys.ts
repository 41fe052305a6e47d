import { createHash } from "node:crypto"
import { sql, sqlList, sqlRows } from "../../../storage/sql.ts"
import type { Reader, Transaction } from "../../../storage/transaction.ts"
import { batchesOf } from "./batch.ts"
import { isUndone } from "./undone.ts"

/** Something that an import brought: what it was known by, and the memory it became or was merged into. */
export interface ImportKey {
  key: string
  operation: string
  memory: string
}

/** A short identity for what came in, that tells nothing of it. */
export function importKeyOf(parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url").slice(0, 22)
}

/** Looks up what came in before, with the memory each became. What was undone or purged may come again. */
export function createKnownImports(on: Reader): (keys: readonly string[]) => Promise<Map<string, string>> {
  const undone = new Map<string, boolean>()
  const standing = async (operation: string) => {
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
      for (const { key, operation, memory } of rows) if (await standing(operation)) known.set(key, memory)
    }
    return known
  }
}

/** Notes what came in, in the transaction that writes it. */
export async function putImportKeys(transaction: Transaction, keys: readonly ImportKey[]): Promise<void> {
  const last = new Map(keys.map((one) => [one.key, one]))
  for (const some of batchesOf([...last.values()])) {
    const rows = some.map(({ key, operation, memory }) => [key, operation, memory])
    await transaction.run(sql`
      insert into import_keys (key, operation, memory) values ${sqlRows(rows)}
      on conflict (key) do update set operation = excluded.operation, memory = excluded.memory`)
  }
}
