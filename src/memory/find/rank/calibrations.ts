import gate from "../../../../assets/gate/all-MiniLM-L6-v2.json" with { type: "json" }
import type { CosineScale } from "../../../embedding/embedder.ts"
import { toStandard } from "../../../embedding/scale.ts"
import type { Calibration } from "./calibration.ts"
import { readGate } from "./gate.ts"
import type { StandardCosine } from "./rank.ts"

/** The model that all others are measured by. */
const standardModel = "all-MiniLM-L6-v2"

/**
 * Fitted on the development part of LoCoMo: its own questions against those of another conversation with the names
 * exchanged. Each model has its own, since likeness means something else to each. See docs/retrieval.md.
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
 * The same for notes, which stand by themselves and meet fewer of a question's words: for the default model fitted on the
 * notes of several authors (`training/gate.ts`), for the other on our own notes.
 */
const notesByModel: Record<string, Calibration> = {
  [standardModel]: readGate(gate),
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

/** For vectors of whole texts only: another model, or a memory without word vectors. */
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

/** The calibration for what a question could be compared by, and for what was found. */
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

/** What a model's cosines mean; undefined where nobody knows. */
export function standardCosine(compared: {
  model: string
  scale?: CosineScale | undefined
}): StandardCosine | undefined {
  if (compared.scale) return toStandard(compared.scale)
  return compared.model.startsWith(`${standardModel}/`) ? { factor: 1, constant: 0 } : undefined
}

/** A calibration for another model, whose cosines mean something else. */
function onScale(calibration: Calibration, scale: CosineScale): Calibration {
  const { factor, constant } = toStandard(scale)
  const { answer, hit } = calibration
  return {
    ...calibration,
    answer: {
      ...answer,
      cosine: (answer.cosine ?? 0) * factor,
      constant: answer.constant + (answer.cosine ?? 0) * constant,
    },
    hit: {
      ...hit,
      cosine: (hit.cosine ?? 0) * factor,
      constant: hit.constant + (hit.cosine ?? 0) * constant,
    },
  }
}
