import type { Calibration } from "./calibration.ts"

/**
 * Fitted on the development part of LoCoMo: its own questions against those of another conversation with the names
 * exchanged. Each model has its own, since likeness means something else to each. See docs/retrieval.md.
 */
const byModel: Record<string, Calibration> = {
  "all-MiniLM-L6-v2": {
    piecesFloor: 0.3,
    answer: { constant: -6.29, metAround: 10.07, covered: 1.89, cosine: 1.68, speakerGap: 5.93 },
    hit: { constant: -5.16, metAround: 6.76, covered: 0.73, cosine: 0.83, behind: -2.95 },
    abstainBelow: 0.18,
    leaveOutBelow: 0.03,
    leaveOutShare: 0.15,
  },
  "gte-small": {
    piecesFloor: 0.7,
    answer: { constant: -10.69, metAround: 16.35, covered: 0.7, cosine: 0.06, speakerGap: 6.33 },
    hit: { constant: -6.9, metAround: 6.81, covered: 1.13, cosine: 0.57, behind: -3.01 },
    abstainBelow: 0.12,
    leaveOutBelow: 0.03,
    leaveOutShare: 0.15,
  },
}

/** For vectors of whole texts only: another model, or a memory without word vectors. */
const meaningAndWords: Calibration = {
  piecesFloor: 0.3,
  answer: { constant: -4.14, metAround: 0, covered: 4.66, cosine: 3.71, speakerGap: 0 },
  hit: { constant: -4.43, metAround: 0, covered: 2.71, cosine: 3.05, behind: -6.48 },
  abstainBelow: 0.13,
  leaveOutBelow: 0.03,
  leaveOutShare: 0.15,
}

/** For search by words alone. */
const wordsOnly: Calibration = {
  piecesFloor: 0.3,
  answer: { constant: -2.76, metAround: 0, covered: 5.31, cosine: 0, speakerGap: 0 },
  hit: { constant: -3.57, metAround: 0, covered: 3.2, cosine: 0, behind: -7.42 },
  abstainBelow: 0.17,
  leaveOutBelow: 0.03,
  leaveOutShare: 0.15,
}

/** The calibration for what a question could be compared by. */
export function calibrationFor(compared: { model: string; hasPieces: boolean } | undefined): Calibration {
  if (compared === undefined) return wordsOnly
  const own = byModel[compared.model.split("/")[0] ?? ""]
  return own && compared.hasPieces ? own : meaningAndWords
}
