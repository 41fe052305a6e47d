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
import type { Happening, Recall, RecallSession } from "../../recall/types.ts"
import { keptSince } from "../../sessions/forget-turns.ts"
import { closeSession, keepSession } from "../../sessions/keep-session.ts"
import type { InstallCore } from "../../storage/core.ts"

/** The same thing told again within this time, by a request that was repeated or by somebody who looks on, is one turn. */
const sameMs = 60_000
/** Sessions of which the last turn is remembered. */
const mostRemembered = 500

/** Keeps what is told of sessions that no file tells of: those of the library, of HTTP and of MCP clients. */
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
    /** Keeps what happened, in the background and in order. */
    tell(session: RecallSession, happening: Happening): void {
      if (isReadElsewhere(session)) return
      const turn = turnOf(needs, happening)
      if (turn && !isAgain(session.id, turn, turn.at)) later(() => keepTurn(needs, session, turn))
    },
    /** The session is over. */
    close(session: RecallSession): void {
      if (isReadElsewhere(session)) return
      last.delete(session.id)
      const by = { operation: newId(needs.random, "op"), actor: "recall" }
      later(() => closeSession(needs.db, session.id, { now: needs.clock.now(), by }))
    },
    /** Settles when everything that was told is kept. */
    settled: async () => void (await queue),
  }
}
export type OwnSessions = ReturnType<typeof openOwnSessions>

/** The same recall, with every session that it is told of kept too where no tool's own file tells of it. */
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

/** A session is called `tool:id` everywhere, so that what is learned from it is known to come from it. */
export function named(session: RecallSession): RecallSession {
  return session.id.includes(":") ? session : { ...session, id: `${session.tool}:${session.id}` }
}

/** A tool's own sessions are read from the files it writes; told a second time they would be there twice. */
function isReadElsewhere({ id, tool }: RecallSession): boolean {
  // What an agent tells over MCP is its own word, not the user's: nothing may be learned from it as such.
  if (partsOf(id).nativeId.startsWith("mcp-")) return true
  return [tool, partsOf(id).tool].some((name) => readableTools.some((readable) => readable === name))
}

function partsOf(id: string): { tool: string; nativeId: string } {
  const colon = id.indexOf(":")
  return { tool: id.slice(0, colon), nativeId: id.slice(colon + 1) }
}

/** What happened as a turn; a call that is yet to come is none. */
function turnOf({ clock, random }: MemoryCore & InstallCore, happening: Happening): RawTurn | undefined {
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

async function keepTurn(
  needs: MemoryCore & InstallCore,
  session: RecallSession,
  raw: RawTurn,
): Promise<void> {
  const { db, clock, screen, install } = needs
  const project = session.project === undefined ? undefined : await needs.projects.find(session.project)
  const config = project ? await projectConfig(needs.config, project) : needs.config
  if (!config.memory.enabled || !config.sessions.enabled) return
  const root = project?.root ?? null
  // Has the project's .env files read, whatever was said.
  await screen.check("", { projectRoot: root })
  const isKept = raw.at >= keptSince(clock.now(), config.sessions.keep_days)
  const turn = isKept ? await shapeTurn({ screen, root, privacy: config.privacy }, raw) : undefined
  const now = clock.now()
  const by = { operation: newId(needs.random, "op"), actor: "recall" }
  await db.write((transaction) =>
    keepSession(
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
