import { z } from "zod"
import { fileTypeOf } from "./file-type.ts"
import {
  type Endpoint,
  encodedLimits,
  endpointOf,
  failed,
  failedBy,
  jsonOf,
  limitsFor,
  type MediaProvider,
  type ProviderNeeds,
  type ProviderOutcome,
} from "./provider.ts"

const answer = z.object({
  data: z
    .array(z.object({ b64_json: z.string().nullish(), url: z.string().max(4096).nullish() }))
    .min(1)
    .max(10),
})

/** A picture from a server that answers like OpenAI's: its bytes in the answer, or an address to fetch it from. */
export const makeImage: MediaProvider = async (needs, { prompt, model }, signal) => {
  const endpoint = endpointOf(needs, "image")
  if ("problem" in endpoint) return failed(endpoint.problem, false)
  const { image_size: size } = needs.settings
  const came = await needs.fetch(`${endpoint.base}/images/generations`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
    secretHeaders: endpoint.secretHeaders,
    body: JSON.stringify({ model, prompt, n: 1, ...(size === "" ? {} : { size }) }),
    limits: { ...encodedLimits(needs.settings), mostRedirects: 0 },
    privateHosts: endpoint.privateHosts,
    signal,
  })
  if (!came.ok) return failedBy(came, "No picture was made")
  const parsed = answer.safeParse(jsonOf(came.body))
  const [first] = parsed.data?.data ?? []
  if (first?.b64_json) return picture(needs, Buffer.from(first.b64_json, "base64"))
  if (first?.url) return fetched(needs, endpoint, first.url, signal)
  return failed("The server gave no picture that can be read.", true)
}

/** An address comes from outside: it is fetched like every other, without a key, and from no private network. */
async function fetched(
  needs: ProviderNeeds,
  { base, privateHosts }: Endpoint,
  url: string,
  signal: AbortSignal,
): Promise<ProviderOutcome> {
  const isOwn = URL.parse(url)?.origin === new URL(base).origin
  const came = await needs.fetch(url, {
    limits: { ...limitsFor(needs.settings), mostRedirects: 3 },
    privateHosts: isOwn ? privateHosts : [],
    signal,
  })
  if (came.ok) return picture(needs, came.body)
  return failed(`The picture could not be fetched: ${came.message}.`, true)
}

function picture({ settings }: ProviderNeeds, bytes: Uint8Array): ProviderOutcome {
  const found = fileTypeOf(bytes, "image")
  if (found === undefined) return failed("The server gave something that is no picture.", true)
  if (bytes.byteLength > settings.max_file_mb * 1_000_000)
    return failed("The picture is larger than chat.initiative.media.max_file_mb.", true)
  return { outcome: "made", files: [{ name: `picture.${found.extension}`, type: found.type, bytes }] }
}
