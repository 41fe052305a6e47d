import { createHash } from "node:crypto"
import { isAbsolute } from "node:path"
import { messageOf } from "../../base/errors.ts"
import { newId } from "../../base/random.ts"
import { shorten } from "../../base/text/text.ts"
import type { RawTurn } from "../../coding/sessions/session-source.ts"
import { shapeTurn } from "../../coding/sessions/shape-turn.ts"
import { readableTools } from "../../config/settings/memory.ts"
import type { MemoryCore } from "../../memory/model/memory-core.ts"
import { ensureProject, projectConfig } from "../../memory/model/project.ts"
import type { Recall, RecallSession, SessionEvent } from "../../recall/types.ts"
import { retentionStart } from "../../sessions/delete-turns.ts"
import { closeSession, saveSession } from "../../sessions/save-session.ts"
import type { InstallCore } from "../../storage/core.ts"

/** The same turn within this time, from a repeated request or a second observer, is stored once. */
const sameMs = 60_000
/** Sessions whose last turn is remembered for that. */
const mostRemembered = 500

/** Stores the sessions of the library, of HTTP and of MCP clients, which write no transcript. */
export function openOwnSessions(needs: MemoryCore & InstallCore) {
  let queue: Promise<unknown> = Promise.resolve()
  const last = new Map<string, { key: string; at: number }>()
  const later = (work: () => Promise<unknown>) => {
    queue = queue.then(work).catch((error) => {
      needs.log.warn("A session was not kept", { reason: messageOf(error) })
    })
  }
  const isAgain = (id: string, { role, text }: RawTurn, at: number) => {
    const key = createHash("sha256").update(`${role}\n${text}`).digest("base64url")
    const before = last.get(id)
    if (last.size >= mostRemembered && before === undefined) last.clear()
    last.set(id, { key, at })
    return before?.key === key && at - before.at < sameMs
  }
  return {
    /** Stores a turn, in the background and in order. */
    tell(session: RecallSession, happening: SessionEvent): void {
      if (isReadElsewhere(session)) return
      const turn = turnOf(needs, happening)
      if (turn && !isAgain(session.id, turn, turn.at)) later(() => storeTurn(needs, session, turn))
    },
    close(session: RecallSession): void {
      if (isReadElsewhere(session)) return
      last.delete(session.id)
      const by = { operation: newId(needs.random, "op"), actor: "recall" }
      later(() => closeSession(needs.db, session.id, { now: needs.clock.now(), by }))
    },
    /** Settles when all turns are stored. */
    settled: async () => void (await queue),
  }
}
export type OwnSessions = ReturnType<typeof openOwnSessions>

/** The same recall, which also stores the sessions without a transcript. */
export function withOwnSessions(recall: Recall, sessions: OwnSessions): Recall {
  return {
    ...recall,
    start: (session) => recall.start(named(session)),
    turn(session, happening) {
      const answer = recall.turn(named(session), happening)
      sessions.tell(named(session), happening)
      return answer
    },
    observe(session, happening) {
      sessions.tell(named(session), happening)
      return recall.observe(named(session), happening)
    },
    async end(session) {
      await recall.end(named(session))
      sessions.close(named(session))
    },
    preview: (session, text) => recall.preview(named(session), text),
    async settled() {
      await recall.settled()
      await sessions.settled()
    },
    async close() {
      await recall.close()
      await sessions.settled()
    },
  }
}

/** Session ids are `tool:id` everywhere, so that memories can name their session. */
export function named(session: RecallSession): RecallSession {
  return session.id.includes(":") ? session : { ...session, id: `${session.tool}:${session.id}` }
}

/** Sessions of tools with transcripts are read from those, and must not be stored twice. */
function isReadElsewhere({ id, tool }: RecallSession): boolean {
  // An agent's text over MCP is not the user's word, so nothing is extracted from it.
  if (partsOf(id).nativeId.startsWith("mcp-")) return true
  return [tool, partsOf(id).tool].some((name) => readableTools.some((readable) => readable === name))
}

function partsOf(id: string): { tool: string; nativeId: string } {
  const colon = id.indexOf(":")
  return { tool: id.slice(0, colon), nativeId: id.slice(colon + 1) }
}

/** Converts an event into a turn; a call that has not run yet is none. */
function turnOf({ clock, random }: MemoryCore & InstallCore, happening: SessionEvent): RawTurn | undefined {
  const about = { key: newId(random, "turn"), at: clock.now(), text: happening.text }
  switch (happening.kind) {
    case "prompt":
      return { ...about, role: "user" }
    case "output":
      return { ...about, role: "assistant", files: happening.files }
    case "call":
      return undefined
    case "tool": {
      const { name, isError, files } = happening
      return { ...about, role: "tool", tool: name, isError, files }
    }
  }
}

const longestTitle = 120

async function storeTurn(
  needs: MemoryCore & InstallCore,
  session: RecallSession,
  raw: RawTurn,
): Promise<void> {
  const { db, clock, screen, install } = needs
  const project = session.project === undefined ? undefined : await needs.projects.find(session.project)
  const config = project ? await projectConfig(needs.config, project) : needs.config
  if (!config.memory.enabled || !config.sessions.enabled) return
  const root = project?.root ?? null
  // Loads the secrets of the project's .env files.
  await screen.check("", { projectRoot: root })
  const isKept = raw.at >= retentionStart(clock.now(), config.sessions.keep_days)
  const turn = isKept ? await shapeTurn({ screen, root, privacy: config.privacy }, raw) : undefined
  const now = clock.now()
  const by = { operation: newId(needs.random, "op"), actor: "recall" }
  await db.write((transaction) =>
    saveSession(
      transaction,
      { install, now, by },
      {
        ...partsOf(session.id),
        project: project && ((own) => ensureProject(own, project, now, by)),
        folder: session.project !== undefined && isAbsolute(session.project) ? session.project : undefined,
        branch: undefined,
        title: undefined,
        firstWords: raw.role === "user" && turn ? shorten(turn.text, longestTitle) : undefined,
        startedAt: raw.at,
        changedAt: raw.at,
        phase: "waiting",
        pid: undefined,
        status: "active",
        lastUserAt: raw.role === "user" ? raw.at : undefined,
        isSpoken: true,
        turns: turn ? [turn] : [],
      },
    ),
  )
}
