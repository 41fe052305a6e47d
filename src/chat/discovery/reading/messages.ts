import type { ReadFeed } from "../items/item.ts"
import type { ReadPage } from "./parse-page.ts"

/** Something fetched that is to be taken apart. */
export type ParseJob =
  | {
      kind: "feed"
      body: Uint8Array
      contentType: string | undefined
      url: string
      most: number
      now: number
    }
  | { kind: "page"; body: Uint8Array; contentType: string | undefined; longest: number }

/** What came of it. */
export type ParseAnswer =
  | { kind: "feed"; feed: ReadFeed }
  | { kind: "page"; page: ReadPage }
  | { kind: "failed"; reason: string }
