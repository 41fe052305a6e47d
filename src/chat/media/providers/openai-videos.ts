import { z } from "zod"
import { sleep } from "../../../base/clock.ts"
import { fileTypeOf } from "./file-type.ts"
import {
  type Endpoint,
  endpointOf,
  failed,
  failedBy,
  jsonOf,
  limitsFor,
  type MediaProvider,
  type ProviderNeeds,
  type ProviderOutcome,
} from "./provider.ts"

const job = z.object({
  id: z.string().regex(/^[\w.:-]{1,200}$/),
  status: z.string().max(40),
  error: z
    .object({ message: z.string().catch("") })
    .nullish()
    .catch(null),
})
type Job = z.output<typeof job>

/** The wait between two polls doubles each time. */
const firstPauseMs = 1000
const longestPauseMs = 10_000
/** A job's JSON is short. */
const maxJobBytes = 200_000
/** A video is given up after this many failed polls. */
const maxFailedPolls = 3

/** Makes a video with an OpenAI-compatible API: creates a job, polls it, and fetches the result. */
export const makeVideo: MediaProvider = async (needs, { prompt, model }, signal) => {
  const endpoint = endpointOf(needs, "video")
  if ("problem" in endpoint) return failed(endpoint.problem, false)
  const deadline = needs.clock.now() + needs.settings.timeout_seconds * 1000
  const body = { model, prompt, seconds: String(needs.settings.video_seconds) }
  const response = await ask(needs, endpoint, "/videos", signal, body)
  if (!response.ok) return failedBy(response, "No video was made")
  let now = job.safeParse(jsonOf(response.body)).data
  if (now === undefined) return failed("The server's answer to the request for a video cannot be read.", true)
  let pauseMs = firstPauseMs
  for (let failedPolls = 0; !isOver(now); pauseMs = Math.min(longestPauseMs, 2 * pauseMs)) {
    if (signal.aborted) return failed("The video was cancelled.", true)
    if (needs.clock.now() + pauseMs > deadline)
      return failed("The video took longer than chat.initiative.media.timeout_seconds.", true)
    await sleep(needs.clock, pauseMs, signal)
    const next = await poll(needs, endpoint, now.id, signal)
    if ("reason" in next) failedPolls += 1
    else now = next
    if ("reason" in next && failedPolls >= maxFailedPolls) return failed(next.reason, true)
  }
  if (now.status !== "completed") return failed(`The server did not make the video (${now.status}).`, true)
  return content(needs, endpoint, now.id, signal)
}

function isOver({ status }: Job): boolean {
  return !["queued", "in_progress", "processing", "pending"].includes(status)
}

async function poll(
  needs: ProviderNeeds,
  endpoint: Endpoint,
  id: string,
  signal: AbortSignal,
): Promise<Job | { reason: string }> {
  const response = await ask(needs, endpoint, `/videos/${encodeURIComponent(id)}`, signal)
  if (!response.ok)
    return { reason: `The server does not report the state of the video: ${response.message}.` }
  const found = job.safeParse(jsonOf(response.body)).data
  if (found?.id === id) return found
  return { reason: "The server does not report the state of the video." }
}

function ask(
  needs: ProviderNeeds,
  { base, secretHeaders, privateHosts }: Endpoint,
  path: string,
  signal: AbortSignal,
  body?: object,
) {
  const most = { mostBytes: maxJobBytes, mostUnpackedBytes: maxJobBytes, mostRedirects: 0 }
  return needs.fetch(`${base}${path}`, {
    ...(body ? { method: "POST", body: JSON.stringify(body) } : {}),
    headers: { accept: "application/json", ...(body ? { "content-type": "application/json" } : {}) },
    limits: { ...limitsFor(needs.settings), ...most },
    secretHeaders,
    privateHosts,
    signal,
  })
}

async function content(
  { fetch, settings }: ProviderNeeds,
  { base, secretHeaders, privateHosts }: Endpoint,
  id: string,
  signal: AbortSignal,
): Promise<ProviderOutcome> {
  const response = await fetch(`${base}/videos/${encodeURIComponent(id)}/content`, {
    limits: { ...limitsFor(settings), mostRedirects: 3 },
    secretHeaders,
    privateHosts,
    signal,
  })
  if (!response.ok) return failed(`The video could not be fetched: ${response.message}.`, true)
  const found = fileTypeOf(response.body, "video")
  if (found === undefined) return failed("The server returned a file that is not a video.", true)
  return {
    outcome: "made",
    files: [{ name: `video.${found.extension}`, type: found.type, bytes: response.body }],
  }
}
