/** What a program without Reverie would do with the bare driver: the baseline of adding and searching. */
export interface PlainStore {
  /** One row in one transaction, as durable as Reverie's, without an index on the text. */
  add(text: string): Promise<void>
  /** The same, many rows in one transaction. */
  addMany(texts: readonly string[]): Promise<void>
  /** Many rows in whatever way is fastest, to bring the table to size. */
  fill(texts: readonly string[]): Promise<void>
  /** The same for the table that is searched, which has nothing but the text and its full-text index. */
  fillIndexed(texts: readonly string[]): Promise<void>
  /** The ids of the best texts with any of the words. */
  search(words: readonly string[], limit: number): Promise<unknown[]>
  close(): Promise<void>
}
