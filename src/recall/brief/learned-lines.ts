import { shorten } from "../../base/text/text.ts"
import { neutralised } from "../../llm/fence.ts"
import { learnedAfter } from "../../memory/history/learned.ts"
import { selectMemories } from "../../memory/model/store/store.ts"
import { sql, sqlList } from "../../storage/sql.ts"
import type { RecallCore } from "../core.ts"
import type { SessionScope } from "../session/session-scope.ts"
import { readRow, saveRow } from "../session/session-store.ts"
import type { RecallSession } from "../types.ts"
import { screened } from "./brief.ts"

/** Only sessions of this time count. */
const newsMs = 14 * 86_400_000
const mostNamed = 3
const longestName = 80

/** A line about what the project's sessions taught since the last session that got such a line; empty if nothing. */
export async function learnedLines(
  core: RecallCore,
  session: RecallSession,
  { projects, root, config }: SessionScope,
): Promise<string[]> {
  if (!config.recall.tell_learned || projects.length === 0) return []
  const { db, clock } = core
  const name = `learned:${projects.join("+")}`
  const last = await readRow(db, name)
  const since = clock.now() - newsMs
  const after = Number(last?.text ?? 0)
  const news = await learnedAfter(db, { projects, after, except: session.id, since })
  const [newest] = news
  if (newest === undefined) return []
  const mark = { text: String(newest.seq), version: last?.version ?? 0 }
  const join = (ours: string, theirs: string) => String(Math.max(Number(ours), Number(theirs)))
  core.background.run(saveRow(core, name, mark, { at: clock.now(), join }))
  const names = await namesOf(core, root, news.slice(0, mostNamed))
  if (names.length === 0) return []
  const sessions = new Set(news.map((one) => one.session)).size
  const count = `${news.length} ${news.length === 1 ? "thing" : "things"}`
  const from = sessions === 1 ? "the last session" : `the last ${sessions} sessions`
  const more = news.length > names.length ? ", …" : ""
  return [`- Reverie learned ${count} from ${from} here: ${names.join("; ")}${more}`]
}

async function namesOf(
  { db, screen }: RecallCore,
  root: string | null,
  news: readonly { id: string }[],
): Promise<string[]> {
  const ids = news.map(({ id }) => id)
  const memories = await selectMemories(db, sql`m.id in ${sqlList(ids)}`, sql`order by m.seq desc`)
  const texts = await Promise.all(memories.map(({ content }) => screened(screen, content, root)))
  return texts.flatMap((text) => (text === undefined ? [] : `“${shorten(neutralised(text), longestName)}”`))
}
