import { UserError } from "../base/errors.ts"
import type { JudgeCard } from "./judge-card.ts"

export interface Embedded {
  /** Of unit length. */
  vector: Float32Array
  /** Only if they were requested and the embedder supports them. */
  tokens: TokenVectors | undefined
}

/** One short vector per word piece of a text, in the order of the text, for late interaction. */
export interface TokenVectors {
  /** Each vector had unit length before its numbers were multiplied by 127 and rounded. */
  codes: Int8Array
  dimensions: number
  /** The offsets where the word of each piece starts and ends in the text. */
  starts: Uint32Array
  ends: Uint32Array
}

/** The trained model's answer about two texts: the probability of each class, for each question. */
export type Judged = Readonly<Record<string, readonly number[]>>

/** Two texts to judge together, such as an older and a newer note. */
export interface ToJudge {
  first: string
  second: string
}

interface Judge {
  card: JudgeCard
  ask(texts: readonly ToJudge[], options?: Pick<EmbedOptions, "urgent">): Promise<Judged[]>
}

/** The cosines of one model from which two texts count as such. */
export interface Similarity {
  /** At least this: they say the same. */
  duplicate: number
  /** At least this: they are about the same thing. */
  related: number
  /** At most this: they are unrelated. */
  unrelated: number
}

/** A model's typical cosines: of a question and an unrelated text, of a question and its answer, and of two wordings. */
export interface CosineScale {
  unrelated: number
  matching: number
  same: number
}

export interface EmbedOptions {
  /** Also returns the vectors of word pieces. */
  tokens?: boolean
  /** Somebody waits: it overtakes other texts, and a server gets only a few seconds. */
  urgent?: boolean
  /** The texts are questions, which some models expect to be marked. */
  question?: boolean
}

/** The state of the embedder, for status and doctor. */
export interface EmbedderStatus {
  state: "idle" | "loading" | "ready" | "failed"
  /** native, wasm or remote. */
  runtime?: string
  /** cpu, cuda, …; or the remote address. */
  provider?: string
  reason?: string
  /** No attempt is made before this time. */
  retryAt?: number
}

/** Turns texts into vectors. Vectors of different models must never be compared. */
export interface Embedder {
  /** Name and precision, as stored with vectors. */
  readonly model: string
  /** The length of a vector; 0 while it is unknown for a remote model. */
  readonly dimensions: number
  /** The length of a word piece's vector; undefined if it gives none. */
  readonly tokenDimensions: number | undefined
  readonly similarity: Similarity
  /** The measured scale; undefined for models with a calibration of their own, and while it is unknown. */
  readonly scale?: CosineScale | undefined
  /** Whether the model understands a text; if not, its vector means nothing. A model without this understands all. */
  reads?(text: string): boolean
  /** One result for each text, in order. Fails with a UserError that says what to do. */
  embed(texts: readonly string[], options?: EmbedOptions): Promise<Embedded[]>
  /** The trained model that reads the same word pieces, if there is one. */
  readonly judge?: Judge | undefined
  status(): EmbedderStatus
  /** Fails what still waits, and frees everything. */
  close(): Promise<void>
}

/** The error of a call to a closed embedder. */
export function closedError(): UserError {
  return new UserError("failed", "The embedder has been closed.")
}

/** A message for users while the embedder does not work; undefined while it does. */
export function embeddingNotice(embedder: Embedder | undefined): string | undefined {
  const { state, reason } = embedder?.status() ?? { state: "idle" }
  if (state !== "failed") return undefined
  return `Search uses words only for now. ${reason ?? "The embedder does not work."}`
}
