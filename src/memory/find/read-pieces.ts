import { sql, sqlList } from "../../storage/sql.ts"
import type { Reader } from "../../storage/transaction.ts"

/** The word pieces' codes of memories, by id, as far as they are known. */
export async function readPieces(
  on: Reader,
  model: string,
  memories: readonly { id: string; seq: number }[],
): Promise<Map<string, Int8Array>> {
  const ids = new Map(memories.map(({ id, seq }) => [seq, id]))
  const rows = await on.read<{ seq: number; codes: Uint8Array }>(sql`
    select seq, codes from token_vectors where model = ${model} and seq in ${sqlList([...ids.keys()])}`)
  return new Map(
    rows.map(({ seq, codes }) => [
      ids.get(seq) ?? "",
      new Int8Array(codes.buffer, codes.byteOffset, codes.byteLength),
    ]),
  )
}
