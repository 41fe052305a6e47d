import type { JudgeCard } from "./judge-card.ts"

/** One text embedded. */
export interface Embedded {
  /** Of unit length. */
  vector: Float32Array
  /** Only where they were asked for and the embedder gives them. */
  tokens: TokenVectors | undefined
}

/** What late interaction compares: one short vector for each word piece of a text, in the order of the text. */
export interface TokenVectors {
  /** Piece after piece; each was of unit length before its numbers were multiplied by 127 and rounded. */
  codes: Int8Array
  dimensions: number
  /** Where the word that each piece belongs to starts in the text that was given. */
  starts: Uint32Array
  /** Where that word ends. */
  ends: Uint32Array
}

/** What a trained model says of two texts: the probability of each class, for each question it was trained for. */
export type Judged = Readonly<Record<string, readonly number[]>>

/** Two texts to be judged together, such as an older and a newer note. */
export interface ToJudge {
  first: string
  second: string
}

/** The trained model beside an embedder. */
interface Judge {
  card: JudgeCard
  ask(texts: readonly ToJudge[], options?: Pick<EmbedOptions, "urgent">): Promise<Judged[]>
}

/** How alike two texts of one model must be to count as such; cosines. */
export interface Similarity {
  /** At least this: they say the same, whatever the words. */
  duplicate: number
  /** At least this: they are about the same thing. */
  related: number
  /** At most this: they have nothing to do with each other. */
  unrelated: number
}

/** What a model's cosines mean: those of a question and something else, of a question and its answer, of one thing said twice. */
export interface CosineScale {
  unrelated: number
  matching: number
  same: number
}

/** How one call wants its texts embedded. */
export interface EmbedOptions {
  /** Gives the word pieces' vectors too. */
  tokens?: boolean
  /** Somebody waits for it: overtakes everything that is not urgent, and a server is given a few seconds only. */
  urgent?: boolean
  /** The texts are questions: some models want to be told. */
  question?: boolean
}

/** How the embedder is, for status and doctor. */
export interface EmbedderStatus {
  state: "idle" | "loading" | "ready" | "failed"
  /** What computes: native, wasm or remote. */
  runtime?: string
  /** On what it computes: cpu, cuda, …; or the remote address. */
  provider?: string
  /** Why it failed, as one sentence. */
  reason?: string
  /** Until then it is not asked again. */
  retryAt?: number
}

/** Turns texts into vectors. Vectors of different models must never be compared. */
export interface Embedder {
  /** Name and precision, as they are stored beside vectors. */
  readonly model: string
  /** Length of a vector; 0 while a remote model has not answered yet and none is configured. */
  readonly dimensions: number
  /** Length of a word piece's vector; undefined if this embedder gives none. */
  readonly tokenDimensions: number | undefined
  readonly similarity: Similarity
  /** As it was measured; undefined for models that have a calibration of their own, and while it is not known. */
  readonly scale?: CosineScale | undefined
  /** Whether it was made to read such a text; where not, its vectors say nothing. It reads everything if that is not told. */
  reads?(text: string): boolean
  /** One result for each text, in order. Fails with a UserError that says what to do. */
  embed(texts: readonly string[], options?: EmbedOptions): Promise<Embedded[]>
  /** Judges texts with a trained model that reads the same word pieces; missing where there is none. */
  readonly judge?: Judge | undefined
  status(): EmbedderStatus
  /** Fails what still waits, and frees everything. */
  close(): Promise<void>
}
