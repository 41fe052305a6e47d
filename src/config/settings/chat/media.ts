import { z } from "zod"
import { key, matching, serverAddress, table } from "../../key.ts"

const modelName = /^[\w.:/@+-]{1,100}$/
const allowed = (what: string) =>
  key(z.array(z.string().regex(modelName)).max(20).default([]), {
    help: `The models that may make ${what}. The first is used unless the chat model names another one of them. Empty makes none.`,
    expects: "a list of at most 20 names of models",
  })
const perDay = (what: string, usual: number, most: number) =>
  key(z.int().min(0).max(most).default(usual), {
    help: `The maximum number of ${what} in 24 hours for one community, in answers and the bot's own posts together. 0 allows none.`,
  })
const may = (what: string) => key(z.boolean().default(true), { help: `Whether ${what}.` })

/** The keys of `[chat.initiative.discovery]` for pictures, videos, GIFs and links. */
export const mediaKeys = {
  allow_image_posts: may("the bot's own posts may contain a picture made by a model, or a GIF"),
  allow_video_posts: may("the bot's own posts may contain a video made by a model"),
  allow_reply_images: may("answers may contain a picture made by a model"),
  allow_reply_videos: may("answers may contain a video made by a model"),
  allow_reply_gifs: may("answers may contain a GIF"),
  max_images_per_day: perDay("pictures", 10, 200),
  max_videos_per_day: perDay("videos", 10, 120),
  max_gifs_per_day: perDay("GIFs", 60, 300),
  allowed_image_models: allowed("pictures"),
  allowed_video_models: allowed("videos"),
  max_media_prompt_chars: key(z.int().min(100).max(2000).default(900), {
    help: "The maximum length of the description of a picture or video, in characters. Longer ones are cut.",
  }),
  max_links_per_post: key(z.int().min(0).max(5).default(2), {
    help: "The maximum number of links in a message that the bot posts unasked. Further links are removed.",
  }),
}

const server = (what: string, route: string) =>
  serverAddress(
    `The address of a server with an API like OpenAI's ${route}, up to and including /v1, that makes the ${what}. Empty means OpenAI itself, with your OpenAI key.`,
  )
const price = (what: string) =>
  key(z.number().min(0).max(100).default(0), {
    help: `The price of one ${what}, in US dollars. It counts towards chat.policy.usd_per_day. 0 means unknown.`,
  })

/** The section `[chat.initiative.media]`: the servers for pictures, videos and GIFs. */
export const media = table({
  image_url: server("pictures", "/v1/images/generations"),
  image_size: key(matching(/^(?:|auto|\d{2,4}x\d{2,4})$/), {
    help: "The size of pictures, such as 1024x1024. Empty uses the server's default.",
    expects: "empty, auto or WIDTHxHEIGHT",
  }),
  image_usd: price("picture"),
  video_url: server("videos", "/v1/videos"),
  video_seconds: key(z.int().min(1).max(60).default(4), {
    help: "The length of videos, in seconds.",
  }),
  video_usd: price("video"),
  gif_provider: key(z.enum(["none", "giphy", "tenor"]).default("none"), {
    help: "The provider of GIFs, with a key in GIPHY_API_KEY or TENOR_API_KEY. none turns GIFs off.",
  }),
  gif_url: serverAddress(
    "The address of another server with an API like GIPHY's or Tenor's. Empty means theirs.",
  ),
  gif_filter: key(z.enum(["high", "medium", "low"]).default("high"), {
    help: "The content rating of GIFs: high is for everybody (G), medium for older children (PG), low for teenagers (PG-13).",
  }),
  timeout_seconds: key(z.int().min(1).max(900).default(180), {
    help: "How many seconds a picture, a video or a GIF may take. The answer waits that long, and is then posted without it.",
  }),
  max_file_mb: key(z.number().min(0.1).max(50).default(9), {
    help: "The maximum size of a file, in megabytes. Discord accepts 10 without extras.",
  }),
})
