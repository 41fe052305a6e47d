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

/** How long to wait between two questions whether it is done; longer each time. */
const firstPauseMs = 1000
const longestPauseMs = 10_000
/** What a job says is short, whatever the file may be. */
const mostJobBytes = 200_000
/** So often a question may go wrong before the video is given up. */
const mostTrouble = 3

/** A video from a server that answers like OpenAI's: ordered, asked for until it is done, then fetched. */
export const makeVideo: MediaProvider = async (needs, { prompt, model }, signal) => {
  const endpoint = endpointOf(needs, "video")
  if ("problem" in endpoint) return failed(endpoint.problem, false)
  const deadline = needs.clock.now() + needs.settings.timeout_seconds * 1000
  const body = { model, prompt, seconds: String(needs.settings.video_seconds) }
  const came = await ask(needs, endpoint, "/videos", signal, body)
  if (!came.ok) return failedBy(came, "No video was made")
  let now = job.safeParse(jsonOf(came.body)).data
  if (now === undefined) return failed("The server gave no order for a video that can be read.", true)
  let pauseMs = firstPauseMs
  for (let trouble = 0; !isOver(now); pauseMs = Math.min(longestPauseMs, 2 * pauseMs)) {
    if (signal.aborted) return failed("The video was called off.", true)
    if (needs.clock.now() + pauseMs > deadline)
      return failed("The video took longer than chat.initiative.media.timeout_seconds.", true)
    await sleep(needs.clock, pauseMs, signal)
    const next = await look(needs, endpoint, now.id, signal)
    if ("reason" in next) trouble += 1
    else now = next
    if ("reason" in next && trouble >= mostTrouble) return failed(next.reason, true)
  }
  if (now.status !== "completed") return failed(`The server did not make the video (${now.status}).`, true)
  return content(needs, endpoint, now.id, signal)
}

function isOver({ status }: Job): boolean {
  return !["queued", "in_progress", "processing", "pending"].includes(status)
}

async function look(
  needs: ProviderNeeds,
  endpoint: Endpoint,
  id: string,
  signal: AbortSignal,
): Promise<Job | { reason: string }> {
  const came = await ask(needs, endpoint, `/videos/${encodeURIComponent(id)}`, signal)
  if (!came.ok) return { reason: `The server does not tell how the video stands: ${came.message}.` }
  const found = job.safeParse(jsonOf(came.body)).data
  if (found?.id === id) return found
  return { reason: "The server does not tell how the video stands." }
}

function ask(
  needs: ProviderNeeds,
  { base, secretHeaders, privateHosts }: Endpoint,
  path: string,
  signal: AbortSignal,
  body?: object,
) {
  const most = { mostBytes: mostJobBytes, mostUnpackedBytes: mostJobBytes, mostRedirects: 0 }
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
  const came = await fetch(`${base}/videos/${encodeURIComponent(id)}/content`, {
    limits: { ...limitsFor(settings), mostRedirects: 3 },
    secretHeaders,
    privateHosts,
    signal,
  })
  if (!came.ok) return failed(`The video could not be fetched: ${came.message}.`, true)
  const found = fileTypeOf(came.body, "video")
  if (found === undefined) return failed("The server gave something that is no video.", true)
  return {
    outcome: "made",
    files: [{ name: `video.${found.extension}`, type: found.type, bytes: came.body }],
  }
}
