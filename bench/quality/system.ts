/** One memory as a benchmark gives it to every system alike. Times are milliseconds since 1970. */
export interface Item {
  sourceId: string
  content: string
  sessionId: string
  /** Its place in the session, from 0. */
  messageIndex: number
  createdAt: number
}

interface SearchOptions {
  /** When the question is asked. */
  at?: number
  /** Whether the system may return fewer than it found, or nothing, because it is unsure. */
  gate?: boolean
  /** Nobody asked: it is looked for what to bring up in a session. */
  isUnasked?: boolean
}

/** What a system answers: the best first. */
export interface Answer {
  hits: { sourceId: string; score: number }[]
  /** How sure it is that the store knows something about the question; compares between questions. */
  confidence: number
  /** True when it would say nothing. */
  abstained: boolean
}

/** A store filled with items. */
export interface Store {
  search(query: string, limit: number, options?: SearchOptions): Promise<Answer>
  close(): Promise<void>
}

/** Something that can be filled and asked: Reverie or a peer. */
export interface System {
  name: string
  open(items: readonly Item[]): Promise<Store>
  /** The same system with each of its parts left out, by the part's name. */
  ablations?: ReadonlyMap<string, System>
}

/** Turns texts into vectors of unit length. */
export interface Embed {
  dimensions: number
  embed(texts: readonly string[]): Promise<Float32Array[]>
}

/** The answer of a system that has no confidence of its own: its best score stands for it. */
export function answerOf(hits: Answer["hits"]): Answer {
  return { hits, confidence: hits[0]?.score ?? 0, abstained: hits.length === 0 }
}
