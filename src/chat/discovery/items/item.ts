/** One entry of a source: an article, a video, a story. All texts are others', plain and cut. */
export interface FeedItem {
  /** An http or https address. */
  link: string
  title: string
  summary: string
  /** When its source says it appeared, in milliseconds. */
  publishedAt: number | null
  /** How many liked, watched or discussed it, where the source tells; comparable within one family only. */
  popularity: number | null
  /** Whether its source marks it as adult. */
  isNsfw: boolean
}

/** A feed as it was read. */
export interface ReadFeed {
  title: string
  /** The newest, at most as many as were asked for. */
  items: FeedItem[]
  /** How many usable entries the feed has. */
  total: number
}
