import { stripFenced } from "../llm/fence.ts"
import { screened } from "./brief/brief.ts"
import { writeText } from "./brief/write-text.ts"
import { queriesFor } from "./build-queries.ts"
import { explainChoice } from "./choose/choose-memories.ts"
import type { RecallCore } from "./core.ts"
import { recallQuery } from "./search-for-prompt.ts"
import { findScope, isOn } from "./session/session-scope.ts"
import { show } from "./show.ts"
import { nothingSurfaced, type RecallPreview, type RecallSession } from "./types.ts"

/** What a prompt would bring up in a session now, and why. Changes nothing. */
export async function preview(
  core: RecallCore,
  session: RecallSession,
  text: string,
): Promise<RecallPreview> {
  const live = await core.sessions.open(session)
  const scope = await findScope(core, session.project)
  const clean = (await screened(core.screen, stripFenced(text), scope.root)) ?? ""
  if (!isOn(scope)) {
    const key = scope.config.recall.enabled ? "memory.enabled" : "recall.enabled"
    const reason = `it is switched off (${key} in the configuration)`
    return { ...nothingSurfaced, query: clean, confidence: 0, leftOut: [], reason }
  }
  const queries = queriesFor(clean, live.state.prompts)
  if (queries.length === 0) {
    const reason = "the prompt names no topic"
    return { ...nothingSurfaced, query: clean, confidence: 0, leftOut: [], reason }
  }
  const { chosen, ...explained } = await explainChoice(
    core,
    recallQuery(core, live, scope, { queries, request: clean }),
  )
  const current = await show(core, scope.root, chosen)
  const { shown, text: written } = writeText(current, { maxTokens: scope.config.recall.max_tokens })
  return { memories: shown, text: written, ...explained }
}
