import { z } from "zod"
import { tryParseJson } from "../../../base/text/json.ts"
import type { FeedItem } from "../items/item.ts"
import { plainText } from "../items/plain-text.ts"

const whole = z.number().catch(0)

const post = z.object({
  data: z.object({
    title: z.string(),
    permalink: z.string().max(1000),
    url: z.string().max(2048).catch(""),
    is_self: z.boolean().catch(false),
    stickied: z.boolean().catch(false),
    over_18: z.boolean().catch(false),
    selftext: z.string().catch(""),
    created_utc: whole,
    ups: whole,
    num_comments: whole,
  }),
})
const listing = z.object({ data: z.object({ children: z.array(z.unknown()).max(500) }) })

/** The posts of a subreddit's listing, without pinned ones; undefined if it is not a listing. */
export function readSubreddit(text: string, most: number): FeedItem[] | undefined {
  const parsed = listing.safeParse(tryParseJson(text))
  if (!parsed.success) return undefined
  const posts = parsed.data.data.children.map((child) => post.safeParse(child).data?.data)
  return posts
    .filter((one) => one !== undefined)
    .filter(({ stickied }) => !stickied)
    .map((one) => {
      const own = webLink(one.permalink, "https://www.reddit.com")
      return {
        link: (one.is_self ? undefined : webLink(one.url)) ?? own ?? "",
        title: plainText(one.title, 300),
        summary: plainText(one.selftext, 500),
        publishedAt: one.created_utc > 0 ? one.created_utc * 1000 : null,
        popularity: Math.max(0, one.ups) + Math.max(0, one.num_comments),
        isNsfw: one.over_18,
      }
    })
    .filter(({ link, title }) => link !== "" && title !== "")
    .slice(0, most)
}

const story = z.object({
  id: z.int().min(1),
  title: z.string(),
  url: z.string().max(2048).optional().catch(undefined),
  text: z.string().catch(""),
  time: whole,
  score: whole,
  descendants: whole,
  dead: z.boolean().catch(false),
  deleted: z.boolean().catch(false),
})

/** The ids of the first stories; undefined if it is not a list of them. */
export function readHackerNewsList(text: string, most: number): number[] | undefined {
  const parsed = z.array(z.unknown()).max(2000).safeParse(tryParseJson(text))
  const numbers = parsed.data?.filter(
    (one) => typeof one === "number" && Number.isSafeInteger(one) && one > 0,
  )
  return numbers?.slice(0, most).map(Number)
}

/** One story; undefined if it is not one, or was deleted. */
export function readHackerNewsItem(text: string): FeedItem | undefined {
  const { data } = story.safeParse(tryParseJson(text))
  if (data === undefined || data.dead || data.deleted) return undefined
  const title = plainText(data.title, 300)
  if (title === "") return undefined
  return {
    link: webLink(data.url ?? "") ?? `https://news.ycombinator.com/item?id=${data.id}`,
    title,
    summary: plainText(data.text, 500),
    publishedAt: data.time > 0 ? data.time * 1000 : null,
    popularity: Math.max(0, data.score) + Math.max(0, data.descendants),
    isNsfw: false,
  }
}

function webLink(text: string, base?: string): string | undefined {
  const url = text === "" ? null : URL.parse(text, base)
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" ? url.href : undefined
}
