import type { Embedded, TokenVectors } from "../embedder.ts"
import type { Projection } from "./projection.ts"
import { addWeighted, meanOf, normalize } from "./vectors.ts"
import { type Window, windowsOf } from "./windows.ts"
import type { Pieces, WordPieces } from "./word-pieces.ts"

/** At most this many word pieces of a text are stored: about two pages. */
const mostTokens = 512

/** The number of pieces that neighbouring windows share. */
const overlap = 32

interface EncodingModel {
  words: WordPieces
  projection: Projection
  /** At most this many pieces at once, including the two marks. */
  longest: number
  /** The last hidden state of these ids, row after row. */
  run(ids: readonly number[]): Promise<Float32Array>
}

/** A text that is embedded window by window, so that urgent texts can go in between. */
export interface Encoding {
  /** Embeds the next window; returns the result after the last. */
  step(): Promise<Embedded | undefined>
}

/** Starts to embed a text. A long one is read in overlapping windows, weighted by their length. */
export function beginEncoding(needs: EncodingModel, text: string, withTokens: boolean): Encoding {
  const { words, longest } = needs
  const pieces = words.tokenize(text)
  const windows = windowsOf(pieces.ids.length, longest - 2, overlap)
  const tokens = withTokens ? createTokens(needs.projection, pieces) : undefined
  let sum: Float32Array | undefined
  let done = 0
  return {
    async step() {
      const window = windows[done]
      if (window === undefined) throw new Error("the text has been read to its end")
      const ids = [words.begin, ...pieces.ids.slice(window.start, window.end), words.end]
      const hidden = await needs.run(ids)
      const mean = meanOf(hidden, ids.length)
      sum ??= new Float32Array(mean.length)
      addWeighted(sum, mean, Math.max(1, window.end - window.start))
      tokens?.take(hidden, window, mean.length)
      done += 1
      return done < windows.length ? undefined : { vector: normalize(sum), tokens: tokens?.vectors() }
    },
  }
}

function createTokens(projection: Projection, pieces: Pieces) {
  const { dimensions } = projection
  const count = Math.min(pieces.ids.length, mostTokens)
  const codes = new Int8Array(count * dimensions)
  return {
    /** Stores the pieces that belong to this window; its first row is the mark before the text. */
    take(hidden: Float32Array, window: Window, width: number): void {
      for (let piece = window.ownStart; piece < Math.min(window.ownEnd, count); piece += 1) {
        const row = piece - window.start + 1
        projection.project(hidden.subarray(row * width, (row + 1) * width), codes, piece * dimensions)
      }
    },
    vectors: (): TokenVectors => ({
      codes,
      dimensions,
      starts: Uint32Array.from(pieces.starts.slice(0, count)),
      ends: Uint32Array.from(pieces.ends.slice(0, count)),
    }),
  }
}
