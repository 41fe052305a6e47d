import type { RecallSession, SessionEvent, StartMode, Surfaced } from "../src/recall/types.ts"

/** What was told to recall, in order. */
type Heard = { session: RecallSession; event: "start" | "end" | SessionEvent }

/** Recall that says the same at every occasion, for tests of what stands between it and an agent. */
export function fakeRecall(texts: { start?: string; prompt?: string; tool?: string; call?: string } = {}) {
  const heard: Heard[] = []
  const starts: (StartMode | undefined)[] = []
  const say = (text = ""): Surfaced => ({ memories: [], text })
  return {
    heard,
    starts,
    async start(session: RecallSession, how?: StartMode) {
      starts.push(how)
      heard.push({ session, event: "start" })
      return say(texts.start)
    },
    async turn(session: RecallSession, happening: SessionEvent) {
      heard.push({ session, event: happening })
      return say(happening.kind === "output" ? "" : texts[happening.kind])
    },
    async end(session: RecallSession) {
      heard.push({ session, event: "end" })
    },
  }
}
