/** One entry of a source: an article, a video, a story. Its texts are untrusted, plain and cut. */
export interface FeedItem {
  link: string
  title: string
  summary: string
  publishedAt: number | null
  /** Likes, views or comments; comparable only within one family. */
  popularity: number | null
  isNsfw: boolean
}

export interface ReadFeed {
  title: string
  /** The newest entries, up to the limit. */
  items: FeedItem[]
  total: number
}
