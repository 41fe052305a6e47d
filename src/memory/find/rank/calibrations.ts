import gate from "../../../../assets/gate/all-MiniLM-L6-v2.json" with { type: "json" }
import type { CosineScale } from "../../../embedding/embedder.ts"
import { toStandard } from "../../../embedding/scale.ts"
import type { AnswerFeature, Calibration, HitFeature, LogisticWeights } from "./calibration.ts"
import type { StandardCosine } from "./rank.ts"

/** The model whose cosines are the scale for all others. */
const standardModel = "all-MiniLM-L6-v2"

/**
 * A calibration as `training/gate.ts` writes it.
 * @internal exported for training/gate.ts
 */
export interface GateFile extends Omit<Calibration, "background"> {
  version: string
  /** The authors whose notes it was fitted on. */
  fittedOn: string[]
  answer: LogisticWeights<AnswerFeature>
  hit: LogisticWeights<HitFeature>
  /** Vectors as little-endian 32-bit floats in base64. */
  background: { question: string; note: string; common: string }
}

function parseGate({ version, fittedOn, background, ...rest }: GateFile): Calibration {
  const { question, note, common } = background
  return {
    ...rest,
    background: { question: vectorOf(question), note: vectorOf(note), common: vectorOf(common) },
  }
}

function vectorOf(base64: string): Float32Array {
  return new Float32Array(Uint8Array.from(Buffer.from(base64, "base64")).buffer)
}

/**
 * For conversations, fitted on the development part of LoCoMo: its own questions against those of another conversation
 * with the names exchanged. Similarities differ between models, so each has its own. See docs/retrieval.md.
 */
const byModel: Record<string, Calibration> = {
  [standardModel]: {
    piecesFloor: 0.3,
    answer: { constant: -6.29, metAround: 10.07, covered: 1.89, cosine: 1.68, speakerGap: 5.93 },
    hit: { constant: -5.16, metAround: 6.76, covered: 0.73, cosine: 0.83, behind: -2.95 },
    abstainBelow: 0.2,
    unaskedBelow: 0.2,
    leaveOutBelow: 0.03,
    leaveOutShare: 0.15,
  },
  "gte-small": {
    piecesFloor: 0.7,
    answer: { constant: -10.69, metAround: 16.35, covered: 0.7, cosine: 0.06, speakerGap: 6.33 },
    hit: { constant: -6.9, metAround: 6.81, covered: 1.13, cosine: 0.57, behind: -3.01 },
    abstainBelow: 0.12,
    unaskedBelow: 0.12,
    leaveOutBelow: 0.03,
    leaveOutShare: 0.15,
  },
}

/**
 * For single notes, which match fewer words of a query: for the default model fitted on the notes of several authors
 * (`training/gate.ts`), for the other on our own notes.
 */
const notesByModel: Record<string, Calibration> = {
  [standardModel]: parseGate(gate),
  "gte-small": {
    piecesFloor: 0.7,
    answer: { constant: -5.04, metAround: 7.61, covered: 2.85, cosine: 1.61, usual: -1.71 },
    hit: { constant: 1.2, metAround: 0.3, covered: 1.45, cosine: -0.23, behind: -1.95, usual: -2.21 },
    usual: 0.79,
    abstainBelow: 0.25,
    unaskedBelow: 0.4,
    leaveOutBelow: 0.05,
    leaveOutShare: 0.2,
  },
}

/** For vectors of whole texts only: other models, or memories without word-piece vectors. */
const meaningAndWords: Calibration = {
  piecesFloor: 0.3,
  answer: { constant: -4.14, covered: 4.66, cosine: 3.71 },
  hit: { constant: -4.43, covered: 2.71, cosine: 3.05, behind: -6.48 },
  abstainBelow: 0.13,
  unaskedBelow: 0.13,
  leaveOutBelow: 0.03,
  leaveOutShare: 0.15,
}

/** For search by words alone. */
const wordsOnly: Calibration = {
  piecesFloor: 0.3,
  answer: { constant: -2.76, covered: 5.31 },
  hit: { constant: -3.57, covered: 3.2, behind: -7.42 },
  abstainBelow: 0.17,
  unaskedBelow: 0.17,
  leaveOutBelow: 0.03,
  leaveOutShare: 0.15,
}

/** The calibration for the vectors that a query was compared by, and for the kind of its best hit. */
export function calibrationFor(
  compared: { model: string; hasPieces: boolean; scale?: CosineScale | undefined } | undefined,
  isNote = false,
): Calibration {
  if (compared === undefined) return wordsOnly
  const name = compared.model.split("/")[0] ?? ""
  const own = (isNote ? notesByModel[name] : undefined) ?? byModel[name]
  if (own && compared.hasPieces) return own
  return compared.scale ? onScale(meaningAndWords, compared.scale) : meaningAndWords
}

/** How to convert a model's cosines to the standard model's; undefined if unknown. */
export function standardCosine(compared: {
  model: string
  scale?: CosineScale | undefined
}): StandardCosine | undefined {
  if (compared.scale) return toStandard(compared.scale)
  return compared.model.startsWith(`${standardModel}/`) ? { factor: 1, constant: 0 } : undefined
}

/** A calibration for another model's cosines. */
function onScale(calibration: Calibration, scale: CosineScale): Calibration {
  const { factor, constant } = toStandard(scale)
  const scaled = <Weights extends { constant: number; cosine?: number }>(weights: Weights): Weights => {
    const { cosine = 0 } = weights
    return { ...weights, cosine: cosine * factor, constant: weights.constant + cosine * constant }
  }
  return { ...calibration, answer: scaled(calibration.answer), hit: scaled(calibration.hit) }
}
