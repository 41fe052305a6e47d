import type { IncomingMessage, ServerResponse } from "node:http"
import { json } from "node:stream/consumers"
import type { Embedder } from "../../src/embedding/embedder.ts"
import { serveHttp } from "../http-server.ts"
import { createSeededRandom } from "../seeded-random.ts"

/** Subjects that lie far apart, each with words of its own. */
const subjects = {
  network: ["router", "firewall", "packet", "gateway", "subnet"],
  kitchen: ["oven", "recipe", "butter", "flour", "spoon"],
  garden: ["tulip", "compost", "hedge", "shovel", "seedling"],
}

export type Subject = keyof typeof subjects

const dimensions = 16

/** So many different sentences about one subject. */
export function sentencesAbout(subject: Subject, count: number, from = 0): string[] {
  const words = subjects[subject]
  return Array.from({ length: count }, (_, index) => {
    const number = index + from
    return `${subject} note ${number}: the ${words[number % 5]} and the ${words[(number + 2) % 5]}`
  })
}

/** A vector near those of the same subject; texts about none lie anywhere. */
function vectorOf(text: string): Float32Array {
  const subject = Object.keys(subjects).findIndex((name) => text.startsWith(name))
  let seed = 7
  for (const character of text) seed = (Math.imul(seed, 31) + (character.codePointAt(0) ?? 0)) >>> 0
  const random = createSeededRandom(seed)
  const spread = subject === -1 ? 1 : 0.05
  const vector = Float32Array.from({ length: dimensions }, () => (random.next() * 2 - 1) * spread)
  if (subject !== -1) vector[subject] = (vector[subject] ?? 0) + 1
  const length = Math.hypot(...vector)
  return vector.map((value) => value / length)
}

/** An embedder that knows the subjects above, and nothing else. */
export function createTopicEmbedder(model = "topics"): Embedder {
  return {
    model,
    dimensions,
    tokenDimensions: undefined,
    similarity: { duplicate: 0.9999, related: 0.9, unrelated: 0.2 },
    embed: async (texts) => texts.map((text) => ({ vector: vectorOf(text), tokens: undefined })),
    status: () => ({ state: "ready" }),
    close: async () => {},
  }
}

/** The same as a server that answers like OpenAI's, for the real program; gives its address. */
export async function serveTopics(): Promise<string> {
  const url = await serveHttp(async (request: IncomingMessage, response: ServerResponse) => {
    const { input } = (await json(request)) as { input: string[] }
    const data = input.map((text, index) => ({ index, embedding: [...vectorOf(text)] }))
    response.writeHead(200, { "content-type": "application/json" })
    response.end(JSON.stringify({ data }))
  })
  return `${url}/v1`
}
