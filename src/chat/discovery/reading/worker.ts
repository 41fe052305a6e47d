// The thread that takes feeds and pages apart. They are other people's: one may be made to take minutes or gigabytes,
// and must hold up nothing and end nothing but this thread.
import { parentPort, workerData } from "node:worker_threads"
import { messageOf } from "../../../base/errors.ts"
import { decodeText } from "../../../base/net/safe-fetch/decode-text.ts"
import type { ParseAnswer, ParseJob } from "./messages.ts"

// Each job is a thread of its own: it loads what it needs itself, and nothing of what the other kind needs.
async function answer(job: ParseJob): Promise<ParseAnswer> {
  try {
    const text = decodeText(job.body, job.contentType)
    if (job.kind === "feed") {
      const { parseFeed } = await import("./parse-feed.ts")
      return { kind: "feed", feed: parseFeed(text, job) }
    }
    const { lines, parsePage } = await import("./parse-page.ts")
    if (!/^\s*text\/plain/i.test(job.contentType ?? ""))
      return { kind: "page", page: parsePage(text, job.longest) }
    const all = lines(text)
    const page = {
      title: "",
      by: "",
      site: "",
      text: all.slice(0, job.longest),
      isCut: all.length > job.longest,
    }
    return { kind: "page", page }
  } catch (error) {
    return { kind: "failed", reason: messageOf(error).slice(0, 200) }
  }
}

parentPort?.postMessage(await answer(workerData))
