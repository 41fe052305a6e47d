/** How many changes go to the database at once. */
export const batchSize = 200

/** How many ids stand in one statement. */
const idsAtOnce = 500

/** The same in pieces that fit into one statement each. */
export function batchesOf<T>(all: readonly T[]): T[][] {
  const batches: T[][] = []
  for (let from = 0; from < all.length; from += idsAtOnce) batches.push(all.slice(from, from + idsAtOnce))
  return batches
}

/** What is read a page at a time, each from the last item of the page before on, until a page is not full. */
export async function* pagesOf<T>(
  size: number,
  read: (last: T | undefined) => Promise<T[]>,
): AsyncGenerator<T[]> {
  let page: T[] = []
  do {
    page = await read(page.at(-1))
    yield page
  } while (page.length >= size)
}
