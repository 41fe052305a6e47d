// The thread that parses feeds and pages. They are untrusted: one may take minutes or gigabytes, and must affect nothing
// but this thread.
import { parentPort, workerData } from "node:worker_threads"
import { messageOf } from "../../../base/errors.ts"
import { decodeText } from "../../../base/net/safe-fetch/decode-text.ts"
import type { ParseAnswer, ParseJob } from "./reader.ts"

// Each job has a thread of its own, which loads only the parser that it needs.
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
