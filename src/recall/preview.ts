import { stripFenced } from "../llm/fence.ts"
import { screened } from "./brief/brief.ts"
import { writeText } from "./brief/write-text.ts"
import { explain } from "./choose/choose-memories.ts"
import type { RecallCore } from "./core.ts"
import { focusOn } from "./focus.ts"
import { caseOf } from "./search-for-prompt.ts"
import { findPlace, isOn } from "./session/session-place.ts"
import { show } from "./show.ts"
import { nothingSurfaced, type RecallPreview, type RecallSession } from "./types.ts"

/** What a prompt would bring up in a session now, and why; nothing is changed by it. */
export async function preview(
  core: RecallCore,
  session: RecallSession,
  text: string,
): Promise<RecallPreview> {
  const live = await core.sessions.open(session)
  const place = await findPlace(core, session.project)
  const clean = (await screened(core.screen, stripFenced(text), place.root)) ?? ""
  if (!isOn(place)) {
    const key = place.config.recall.enabled ? "memory.enabled" : "recall.enabled"
    const reason = `it is switched off (${key} in the configuration)`
    return { ...nothingSurfaced, query: clean, confidence: 0, leftOut: [], reason }
  }
  const queries = focusOn(clean, live.state.prompts)
  if (queries.length === 0) {
    const reason = "the prompt names no subject"
    return { ...nothingSurfaced, query: clean, confidence: 0, leftOut: [], reason }
  }
  const { chosen, ...looked } = await explain(core, caseOf(core, live, place, { queries, request: clean }))
  const standing = await show(core, place.root, chosen)
  const { shown, text: written } = writeText(standing, { maxTokens: place.config.recall.max_tokens })
  return { memories: shown, text: written, ...looked }
}
