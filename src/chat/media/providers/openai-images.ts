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

/** Makes a picture with an OpenAI-compatible API. The answer contains the bytes, or an address to fetch them from. */
export const makeImage: MediaProvider = async (needs, { prompt, model }, signal) => {
  const endpoint = endpointOf(needs, "image")
  if ("problem" in endpoint) return failed(endpoint.problem, false)
  const { image_size: size } = needs.settings
  const response = await needs.fetch(`${endpoint.base}/images/generations`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
    secretHeaders: endpoint.secretHeaders,
    body: JSON.stringify({ model, prompt, n: 1, ...(size === "" ? {} : { size }) }),
    limits: { ...encodedLimits(needs.settings), mostRedirects: 0 },
    privateHosts: endpoint.privateHosts,
    signal,
  })
  if (!response.ok) return failedBy(response, "No picture was made")
  const parsed = answer.safeParse(jsonOf(response.body))
  const [first] = parsed.data?.data ?? []
  if (first?.b64_json) return picture(needs, Buffer.from(first.b64_json, "base64"))
  if (first?.url) return fetched(needs, endpoint, first.url, signal)
  return failed("The server returned no picture that can be read.", true)
}

/** The address is untrusted: it is fetched without a key, and only from the configured server if that is private. */
async function fetched(
  needs: ProviderNeeds,
  { base, privateHosts }: Endpoint,
  url: string,
  signal: AbortSignal,
): Promise<ProviderOutcome> {
  const isOwn = URL.parse(url)?.origin === new URL(base).origin
  const response = await needs.fetch(url, {
    limits: { ...limitsFor(needs.settings), mostRedirects: 3 },
    privateHosts: isOwn ? privateHosts : [],
    signal,
  })
  if (response.ok) return picture(needs, response.body)
  return failed(`The picture could not be fetched: ${response.message}.`, true)
}

function picture({ settings }: ProviderNeeds, bytes: Uint8Array): ProviderOutcome {
  const found = fileTypeOf(bytes, "image")
  if (found === undefined) return failed("The server returned a file that is not a picture.", true)
  if (bytes.byteLength > settings.max_file_mb * 1_000_000)
    return failed("The picture is larger than chat.initiative.media.max_file_mb.", true)
  return { outcome: "made", files: [{ name: `picture.${found.extension}`, type: found.type, bytes }] }
}
