import { type Clock, sleep } from "../../../src/base/clock.ts"
import type { FetchOutcome } from "../../../src/base/net/safe-fetch/outcome.ts"
import type { SafeFetch } from "../../../src/base/net/safe-fetch/safe-fetch.ts"
import type { Draw } from "../../draw.ts"
import { samples } from "../../media/samples.ts"

const manners = [
  ...(["makes", "makes", "makes", "takes its time", "takes its time", "never gets done"] as const),
  ...(["refuses", "cannot be reached", "fails", "hangs", "gives rubbish"] as const),
]
/** Manners in which nothing is made, and nobody can take it for made. */
const harmless = new Set<(typeof manners)[number]>(["refuses", "cannot be reached"])

/** Servers that make pictures and videos and find GIFs: they work, refuse, fail, hang, and take their time. */
export function createStudio(draw: Draw) {
  let isCalm = false
  return {
    calm() {
      isCalm = true
    },
    /** What one order goes through. `onWorks` hears that a server works for it, which may cost something. */
    fetch(clock: Clock, onWorks: () => void): SafeFetch {
      const manner = isCalm ? "makes" : draw.pick(manners)
      // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one list of manners reads best in one place
      return async (address, { method = "GET", limits, signal } = {}) => {
        const path = new URL(address).pathname
        const isOrder = method === "POST" || path.endsWith("/search")
        if (manner === "cannot be reached") return problem("unreachable")
        if (manner === "refuses" && isOrder) return problem("status", 400)
        if (isOrder && !harmless.has(manner)) onWorks()
        const mostMs = limits?.totalMs ?? 30_000
        const ms = manner === "hangs" ? mostMs : manner === "makes" ? 1 : draw.number(1, mostMs)
        await sleep(clock, ms, signal)
        if (signal?.aborted) return problem("stopped")
        if (manner === "hangs") return problem("timeout")
        if (manner === "fails") return problem("status", 500)
        if (manner === "gives rubbish") return answer("rubbish")
        return answer(contentOf(path, manner === "never gets done"))
      }
    },
  }
}

function contentOf(path: string, isEndless: boolean): string | Uint8Array {
  if (path.endsWith("/images/generations"))
    return JSON.stringify({ data: [{ b64_json: samples.png.toString("base64") }] })
  if (path.endsWith("/content")) return samples.mp4
  if (path.includes("/videos")) return JSON.stringify({ id: "v", status: isEndless ? "queued" : "completed" })
  if (!path.endsWith("/search")) return samples.gif
  const original = { url: "https://gifs.example/a.gif", size: "9" }
  return JSON.stringify({ data: [{ url: "", rating: "g", images: { original } }] })
}

function answer(body: string | Uint8Array): FetchOutcome {
  return { ok: true, status: 200, url: "", headers: new Map(), body: Buffer.from(body) }
}

function problem(why: "unreachable" | "status" | "stopped" | "timeout", status = 0): FetchOutcome {
  return { ok: false, why, message: `made up: ${why}`, status }
}
