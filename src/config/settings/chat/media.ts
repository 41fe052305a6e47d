import { z } from "zod"
import { isWebUrl, key, table } from "../../key.ts"

const modelName = /^[\w.:/@+-]{1,100}$/
const allowed = (what: string) =>
  key(z.array(z.string().regex(modelName)).max(20).default([]), {
    help: `Which models may be asked for ${what}; the first is asked unless the model that speaks names another one of them. Empty asks for none.`,
    expects: "a list of at most 20 names of models",
  })
const perDay = (what: string, usual: number, most: number) =>
  key(z.int().min(0).max(most).default(usual), {
    help: `How many ${what} may be made or looked for in 24 hours for one community, answers and posts of its own together. 0 makes none.`,
  })
const may = (what: string) => key(z.boolean().default(true), { help: `Whether ${what}.` })

/** What of `[chat.initiative.discovery]` is about pictures, videos, GIFs and links. */
export const mediaKeys = {
  allow_image_posts: may("posts of its own may have a picture that a model makes, or a GIF"),
  allow_video_posts: may("posts of its own may have a video that a model makes"),
  allow_reply_images: may("answers may have a picture that a model makes"),
  allow_reply_videos: may("answers may have a video that a model makes"),
  allow_reply_gifs: may("answers may have a GIF"),
  max_images_per_day: perDay("pictures", 10, 200),
  max_videos_per_day: perDay("videos", 10, 120),
  max_gifs_per_day: perDay("GIFs", 60, 300),
  allowed_image_models: allowed("pictures"),
  allowed_video_models: allowed("videos"),
  max_media_prompt_chars: key(z.int().min(100).max(2000).default(900), {
    help: "How long the description of a picture or video may be; what is longer is cut.",
  }),
  max_links_per_post: key(z.int().min(0).max(5).default(2), {
    help: "How many links something said unasked may have; those beyond are left out.",
  }),
}

const server = (what: string, route: string) =>
  key(z.string().refine(isWebUrl).default(""), {
    help: `Where a server answers like OpenAI's ${route}, up to and including /v1; it makes the ${what}. Empty means OpenAI itself, with your OpenAI key.`,
    expects: "empty or the address of a server without a name or password in it",
  })
const price = (what: string) =>
  key(z.number().min(0).max(100).default(0), {
    help: `What one ${what} costs, in US dollars: it is counted into what a community may cost in a day. 0 means that it is not known.`,
  })

/** The section `[chat.initiative.media]`: who makes pictures and videos, and who finds GIFs. */
export const media = table({
  image_url: server("pictures", "/v1/images/generations"),
  image_size: key(
    z
      .string()
      .regex(/^(?:|auto|\d{2,4}x\d{2,4})$/)
      .default(""),
    {
      help: "The size of pictures, such as 1024x1024. Empty leaves it to the server.",
      expects: "empty, auto or WIDTHxHEIGHT",
    },
  ),
  image_usd: price("picture"),
  video_url: server("videos", "/v1/videos"),
  video_seconds: key(z.int().min(1).max(60).default(4), {
    help: "How long videos are, in seconds.",
  }),
  video_usd: price("video"),
  gif_provider: key(z.enum(["none", "giphy", "tenor"]).default("none"), {
    help: "Who is asked for GIFs, with a key in GIPHY_API_KEY or TENOR_API_KEY. none finds none.",
  }),
  gif_url: key(z.string().refine(isWebUrl).default(""), {
    help: "The address of another server that answers like GIPHY or Tenor. Empty means theirs.",
    expects: "empty or the address of a server without a name or password in it",
  }),
  gif_filter: key(z.enum(["high", "medium", "low"]).default("high"), {
    help: "How harmless GIFs must be: high is for everybody (G), medium for older children (PG), low for teenagers (PG-13).",
  }),
  timeout_seconds: key(z.int().min(1).max(900).default(180), {
    help: "How long a picture, a video or a GIF may take. The answer that wants it waits so long, and then comes without it.",
  }),
  max_file_mb: key(z.number().min(0.1).max(50).default(9), {
    help: "How large a file may be, in megabytes. Discord takes 10 without extras.",
  }),
})
