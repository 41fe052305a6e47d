import type { AnswerSign, Calibration, HitSign, Line } from "./calibration.ts"

/** A calibration as `training/gate.ts` writes it. */
export interface GateFile extends Omit<Calibration, "background"> {
  version: string
  /** The authors whose notes it was fitted on. */
  fittedOn: string[]
  answer: Line<AnswerSign>
  hit: Line<HitSign>
  /** Vectors as little-endian 32-bit numbers in base64. */
  background: { question: string; note: string; common: string }
}

/** The calibration of a file. */
export function readGate({ version, fittedOn, background, ...rest }: GateFile): Calibration {
  const { question, note, common } = background
  return {
    ...rest,
    background: { question: vectorOf(question), note: vectorOf(note), common: vectorOf(common) },
  }
}

function vectorOf(text: string): Float32Array {
  const bytes = Uint8Array.from(Buffer.from(text, "base64"))
  return new Float32Array(bytes.buffer)
}
