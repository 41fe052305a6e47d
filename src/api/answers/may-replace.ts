import { findMemories } from "../../memory/model/store/store.ts"
import type { Reader } from "../../storage/transaction.ts"
import { presentShown, type ShownMemory } from "./shown.ts"

/** What a memory may replace, told with its text, for somebody has to decide. */
export interface MayReplace {
  mayReplace?: Pick<ShownMemory, "id" | "content" | "createdAt">[]
}

/** The memories that one may replace, as they are told; nothing where there are none. */
export async function presentMayReplace(on: Reader, ids: readonly string[]): Promise<MayReplace> {
  if (ids.length === 0) return {}
  const found = await findMemories(on, [...ids])
  const olds = ids.flatMap((id) => found.get(id) ?? [])
  return {
    mayReplace: olds.map(presentShown).map(({ id, content, createdAt }) => ({ id, content, createdAt })),
  }
}
