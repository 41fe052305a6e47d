import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import { text as textOf } from "node:stream/consumers"
import { type Clock, systemClock } from "../../src/base/clock.ts"
import type { SafeFetch } from "../../src/base/net/safe-fetch/safe-fetch.ts"
import type { MediaKeyName } from "../../src/chat/media/keyed-media.ts"
import type { MediaNeeds } from "../../src/chat/media/make-media.ts"
import type { MediaSettings } from "../../src/chat/media/settings.ts"
import { configSchema } from "../../src/config/schema.ts"
import { chatSchema } from "../../src/config/settings/chat/chat.ts"
import { openScreen } from "../../src/privacy/screen.ts"
import type { Database } from "../../src/storage/database.ts"
import { openFetch } from "../discovery/world.ts"
import { serveHttp } from "../http-server.ts"
import { createSeededRandom } from "../seeded-random.ts"

/** What a server was asked. */
export interface AskedOf {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingMessage["headers"]
  body: string
}

/** Serves media on a port; keeps what it was asked. */
export async function serveMedia(answer: (asked: AskedOf, response: ServerResponse) => void) {
  const asked: AskedOf[] = []
  const listener: RequestListener = async (request, response) => {
    response.on("error", () => undefined)
    const body = await textOf(request).catch(() => "")
    const url = new URL(request.url ?? "/", "http://media")
    const { method = "", headers } = request
    const one = { method, path: url.pathname, query: url.searchParams, headers, body }
    asked.push(one)
    answer(one, response)
  }
  return { base: await serveHttp(listener), asked }
}

export function json(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
}

interface Given {
  discovery?: Partial<MediaSettings["discovery"]>
  media?: Partial<MediaSettings["media"]>
}

/** The sections of the configuration, with a model allowed for each kind. */
export function mediaSettings({ discovery = {}, media = {} }: Given = {}): MediaSettings {
  const { initiative } = chatSchema.parse({})
  const allowed = { allowed_image_models: ["painter"], allowed_video_models: ["filmer"] }
  return {
    discovery: { ...initiative.discovery, ...allowed, ...discovery },
    media: { ...initiative.media, ...media },
  }
}

interface Parts extends Given {
  db: Database
  clock?: Clock
  fetch?: SafeFetch
  keys?: Partial<Record<MediaKeyName, string>>
}

/** All that making media needs, over servers of tests. */
export function openMediaParts({ db, clock = systemClock, fetch, keys, ...given }: Parts): MediaNeeds {
  const known = keys ?? { image: "sk-image", video: "sk-video", giphy: "giphy-key", tenor: "tenor-key" }
  return {
    ...{ db, clock, random: createSeededRandom(1), settings: mediaSettings(given) },
    fetch: fetch ?? openFetch(),
    screen: openScreen({ clock }, configSchema.parse({}).privacy),
    keyFor: (name) => known[name],
  }
}
