import { messageOf } from "../../base/errors.ts"
import { appendEntry } from "../../storage/journal.ts"
import { occursIn } from "../retrieval/triggers.ts"
import { createBackground, refreshOnChange } from "./background.ts"
import { createBreaker } from "./breaker.ts"
import { isStale, screened } from "./brief.ts"
import { createBriefs } from "./briefs.ts"
import { stripFenced } from "./fence.ts"
import { focusOn } from "./focus.ts"
import { createLiveSessions, type LiveSession } from "./live-sessions.ts"
import { explain } from "./look.ts"
import { createLooks } from "./looks.ts"
import { noteWork, nothingUnread, type Occasion } from "./occasion.ts"
import { patientReads } from "./patient-reads.ts"
import { findPlace, isOn, type RecallPlace } from "./place.ts"
import { entryOf, type PrepareNeeds, prepareForPrompt, prepareForWork } from "./prepare.ts"
import type { Happening, Recall, RecallSession, Surfaced } from "./recall.ts"
import type { Prepared } from "./state.ts"
import { stillTrue } from "./still-true.ts"
import { forgetOldStates } from "./store.ts"
import { saysChange } from "./topic.ts"
import { noteUse } from "./upkeep.ts"
import { writeText } from "./write-text.ts"

/** What recall needs: what finding memories needs, and who this installation is. */
export type RecallNeeds = Omit<PrepareNeeds, "sessions" | "briefs" | "signal" | "breaker">

const nothing: Surfaced = { memories: [], text: "" }

/** For so many sessions memory is looked at at once. */
const looksAtOnce = 4
/** Of a prompt no more than this is searched for words that bring memories up. */
const longestWatched = 8000
/** What is remembered as surfaced. */
const mostSurfaced = 500
/** At the start of a session so many times as many memories are told as later at once. */
const startFactor = 2
/** A session that nobody touched for so long begins anew. */
const forgottenAfterMs = 90 * 86_400_000

/** Opens recall for any number of sessions. Nothing runs before something happens. */
export function openRecall(given: RecallNeeds): Recall {
  const { clock, log } = given
  const stopping = new AbortController()
  const sessions = createLiveSessions(given)
  const patient = { ...given, db: patientReads(given.db) }
  const briefs = createBriefs(patient)
  const needs: PrepareNeeds = {
    ...patient,
    sessions,
    briefs,
    signal: stopping.signal,
    breaker: createBreaker(given),
  }
  const failed = (session: string, error: unknown) => {
    if (!stopping.signal.aborted) log.warn("Recall failed", { session, reason: messageOf(error) })
  }
  const looks = createLooks({
    atOnce: looksAtOnce,
    onOvertaken: (session) => log.info("A look at memory was overtaken by a newer one", { session }),
    onFailed: failed,
  })
  const background = createBackground((error) => failed("", error))
  let stopRefreshing = () => {}
  let isListening = false
  /** From the first session on, briefs follow what is remembered. */
  function listen(): void {
    if (isListening) return
    isListening = true
    stopRefreshing = refreshOnChange(given, () => background.run(briefs.refreshAll()))
  }

  const recallOf = (live: LiveSession) => (live.place ?? given).config.recall

  /** Waits for something, but not longer than the first prompt may. */
  function soon(promise: Promise<unknown>, live: LiveSession): Promise<void> {
    const ms = recallOf(live).first_wait_ms
    if (ms === 0) return Promise.resolve()
    return new Promise((resolve) => {
      const cancel = clock.after(ms, resolve)
      const done = () => {
        cancel()
        resolve()
      }
      promise.then(done, done)
    })
  }

  async function happened(session: RecallSession, happening: Happening, isShown: boolean): Promise<Surfaced> {
    if (!isOn(given) || stopping.signal.aborted) return nothing
    listen()
    const live = await sessions.open(session)
    if (happening.kind === "prompt") return prompted(live, stripFenced(happening.text), isShown)
    const text = stripFenced(happening.text)
    if (happening.kind === "output") live.state.wasAsked = /\?["')\s]*$/.test(text.slice(-300))
    const noted = noteWork(live.unread, { ...happening, text }, recallOf(live).look_again_tokens)
    live.unread = noted.unread
    if (noted.occasion && noted.occasion !== "prompt") lookAtWork(live, noted.occasion, text)
    return isShown && happening.kind === "tool" ? give(live, undefined) : nothing
  }

  function lookAtWork(live: LiveSession, occasion: Exclude<Occasion, "prompt">, text: string): void {
    const fresh = occasion === "failure" ? text : live.unread.text
    live.unread = { ...nothingUnread, fileKind: live.unread.fileKind }
    void looks.ask(live.session.id, () => prepareForWork(needs, live, occasion, fresh))
  }

  async function prompted(live: LiveSession, text: string, isShown: boolean): Promise<Surfaced> {
    const { last, state } = live
    // The same prompt reaches us twice where a hook and a transcript tell of it.
    const isAgain = last !== undefined && last.text === text && last.wasShown !== isShown
    live.last = { text, wasShown: isShown || (isAgain && last.wasShown) }
    if (isAgain || text.trim() === "") return isShown ? give(live, text) : nothing
    const isFirst = state.turns === 0
    state.turns += 1
    state.sinceReset += 1
    if (state.sinceReset > recallOf(live).reset_turns) {
      Object.assign(state, { surfaced: [], sinceReset: 1 })
      const entry = entryOf(given, live, "recall.reset", { reason: "turns" })
      sessions.save(live, (transaction) => appendEntry(transaction, entry))
    }
    live.heard.push(text)
    live.unread = { ...nothingUnread, fileKind: live.unread.fileKind }
    const ready = Promise.withResolvers<void>()
    const done = looks.ask(live.session.id, () => prepareForPrompt(needs, live, ready.resolve))
    if (!isShown) return nothing
    if (isFirst) await soon(Promise.race([ready.promise, done]), live)
    return give(live, text, isFirst)
  }

  /** Tools that run at once tell of themselves at once: what is given to one is not given to another. */
  function give(live: LiveSession, text: string | undefined, isFirst = false): Promise<Surfaced> {
    return live.giving.run(() => handOut(live, text, isFirst))
  }

  /** Gives what is prepared and still true. Reads the rows of what it gives, and nothing else. */
  async function handOut(live: LiveSession, text: string | undefined, isFirst: boolean): Promise<Surfaced> {
    const place = live.place ?? { projects: [], root: null, config: given.config }
    if (!isOn(place)) return nothing
    const { max_memories, max_tokens } = place.config.recall
    const isElsewhere = !isFirst && text !== undefined && saysChange(text)
    const waiting = isElsewhere ? [] : live.state.prepared
    const { surfaced, told } = live.state
    const watched = watchedBy(live, text).filter(({ id }) => told.includes(id) || !surfaced.includes(id))
    const offered = distinct([...watched, ...waiting.filter(({ id }) => !surfaced.includes(id))])
    const looked = offered.slice(0, startFactor * max_memories)
    const standing = await stillTrue(given, place.root, looked)
    const { shown, text: written } = writeText(standing.slice(0, max_memories), max_tokens)
    const gone = looked.filter(({ id }) => !standing.some((one) => one.id === id)).map(({ id }) => id)
    surface(live, shown, gone)
    return { memories: shown, text: written }
  }

  /** The memories that words of the prompt bring up by themselves, as far as this process knows them. */
  function watchedBy(live: LiveSession, text: string | undefined): Prepared[] {
    const brief = text === undefined || live.place === undefined ? undefined : briefs.known(live.place)
    if (brief === undefined || text === undefined) return []
    const searched = text.slice(0, longestWatched)
    return brief.watched.flatMap(({ triggers, ...memory }) => {
      const pattern = triggers.find((one) => occursIn(one, searched))
      return pattern === undefined ? [] : [{ ...memory, via: [`trigger ${pattern}`] }]
    })
  }

  function surface(live: LiveSession, shown: readonly { id: string }[], gone: readonly string[]): void {
    const ids = shown.map(({ id }) => id)
    if (ids.length === 0 && gone.length === 0) return
    const { state } = live
    state.surfaced = [...new Set([...state.surfaced, ...ids])].slice(-mostSurfaced)
    state.told = state.told.filter((id) => !ids.includes(id))
    state.prepared = state.prepared.filter(({ id }) => !ids.includes(id) && !gone.includes(id))
    const entry = entryOf(given, live, "recall.surfaced", { turn: state.turns, memories: ids })
    sessions.save(live, async (transaction) => {
      if (ids.length === 0) return
      await appendEntry(transaction, entry)
      await noteUse(transaction, ids, entry.at, entry)
    })
  }

  async function start(session: RecallSession): Promise<Surfaced> {
    if (!isOn(given) || stopping.signal.aborted) return nothing
    listen()
    const live = await sessions.open(session)
    const place = await findPlace(given, session.project)
    live.place = place
    if (!isOn(place)) return nothing
    forgetSurfaced(live)
    // A model that was put away is loaded by the time the first prompt comes.
    background.run(given.embedder?.embed([session.id], { urgent: true }))
    await freshBrief(live, place)
    const brief = briefs.known(place)
    if (brief === undefined) return nothing
    const { max_memories, max_tokens } = place.config.recall
    const standing = await stillTrue(given, place.root, brief.memories)
    const { shown, text } = writeText(standing.slice(0, startFactor * max_memories), max_tokens, brief.recent)
    surface(live, shown, [])
    live.state.told = shown.map(({ id }) => id)
    return { memories: shown, text }
  }

  /** A session that was there before has lost sight of what it was shown: it is resumed, or was shortened. */
  function forgetSurfaced(live: LiveSession): void {
    const { state } = live
    if (state.turns === 0 && state.surfaced.length === 0) return
    Object.assign(state, { surfaced: [], sinceReset: 0, wasShortened: true })
    sessions.save(live)
  }

  /** Brings the brief up to date, if that does not take longer than may be waited. */
  async function freshBrief(live: LiveSession, place: RecallPlace): Promise<void> {
    const brief = await briefs.prepared(place)
    if (brief && !(await isStale(given, brief))) return
    const refreshing = briefs.refresh(place)
    background.run(refreshing)
    await soon(refreshing, live)
  }

  return {
    start,
    turn: (session, happening) => happened(session, happening, true),
    async observe(session, happening) {
      await happened(session, happening, false)
    },
    async end(session) {
      if (stopping.signal.aborted) return
      const live = await sessions.open(session)
      background.run(
        (async () => {
          await looks.idle(session.id)
          await briefs.refresh(live.place ?? (await findPlace(given, session.project)))
          await live.writing.run(async () => sessions.leave(live))
          await forgetOldStates(given, clock.now() - forgottenAfterMs)
        })(),
      )
    },
    async preview(session, text) {
      const live = await sessions.open(session)
      const place = await findPlace(given, session.project)
      const clean = (await screened(given.screen, stripFenced(text), place.root)) ?? ""
      if (!isOn(place)) {
        const key = place.config.recall.enabled ? "memory.enabled" : "recall.enabled"
        const reason = `it is switched off (${key} in the configuration)`
        return { ...nothing, query: clean, confidence: 0, leftOut: [], reason }
      }
      const query = focusOn(clean, live.state.prompts)
      const looked = await explain(needs, {
        session,
        place,
        state: live.state,
        query,
        request: clean,
        signal: stopping.signal,
      })
      const { shown, text: written } = writeText(looked.chosen, place.config.recall.max_tokens)
      const { confidence, leftOut, reason } = looked
      return { memories: shown, text: written, query, confidence, leftOut, reason }
    },
    settled: () => settleAll(),
    async close() {
      stopping.abort(new Error("recall stops"))
      stopRefreshing()
      await settleAll()
    },
  }

  async function settleAll(): Promise<void> {
    // Each may give the others something to do.
    for (let round = 0; round < 3; round += 1) {
      await looks.settled()
      await background.settled()
      await sessions.settled()
    }
  }
}

function distinct(list: readonly Prepared[]): Prepared[] {
  return [...new Map(list.toReversed().map((one) => [one.id, one])).values()].toReversed()
}
