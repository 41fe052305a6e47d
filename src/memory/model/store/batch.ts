import { yieldToEventLoop } from "../../../base/clock.ts"

/** How many changes are written at once. */
export const batchSize = 200

/** How many ids one statement contains at most. */
const idsAtOnce = 500

/** Splits a list into batches, by default such that each fits into one statement. */
export function batchesOf<T>(all: readonly T[], size = idsAtOnce): T[][] {
  const batches: T[][] = []
  for (let from = 0; from < all.length; from += size) batches.push(all.slice(from, from + size))
  return batches
}

/** Reads page after page, each after the last item of the page before, until a page is not full. Others get their turn. */
export async function* pagesOf<T>(
  size: number,
  read: (last: T | undefined) => Promise<T[]>,
  signal?: AbortSignal,
): AsyncGenerator<T[]> {
  let page: T[] = []
  do {
    signal?.throwIfAborted()
    page = await read(page.at(-1))
    yield page
    await yieldToEventLoop()
  } while (page.length >= size)
}
