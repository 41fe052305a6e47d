import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import type { Judged, ToJudge } from "../embedder.ts"
import { openGraph, type RuntimeChoice, type SessionNeeds } from "./runtime.ts"
import type { WordPieces } from "./word-pieces.ts"
import type { WorkerSetup } from "./worker-messages.ts"

/** The most word pieces of both texts together, with the three marks around them. */
const longest = 160

/** A model that judges pairs of texts. */
export interface Judge {
  judge(texts: ToJudge): Promise<Judged>
  close(): Promise<void>
}

/** Loads the model, which reads the same word pieces as the embedder. */
export async function openJudge(
  needs: SessionNeeds & { words: WordPieces },
  choice: RuntimeChoice,
  { judge }: Pick<WorkerSetup, "judge">,
): Promise<Judge> {
  if (judge === undefined) throw new Error("there is no model that judges")
  const found = createHash("sha256")
    .update(await readFile(judge.file))
    .digest("hex")
  if (found !== judge.sha256) throw new Error("the model that judges is not the file that Reverie knows")
  const graph = await openGraph(needs, choice, judge.file)
  return {
    async judge(texts) {
      const { ids, segments } = joined(needs.words, texts)
      const { onnx, session } = graph
      const whole = (numbers: number[]) =>
        new onnx.Tensor("int64", BigInt64Array.from(numbers, BigInt), [numbers.length])
      const found = await session.run({ ids: whole(ids), segments: whole(segments) })
      return Object.fromEntries(
        session.outputNames.map((name) => [name, probabilities(found[name]?.data as Float32Array)]),
      )
    },
    close: () => graph.session.release(),
  }
}

/**
 * Both texts with their marks; the second is cut first, then the first.
 * @internal exported for training/prepare.ts
 */
export function joined(words: WordPieces, { first, second }: ToJudge): { ids: number[]; segments: number[] } {
  const a = words.cut(first).ids.slice(0, longest - 3)
  const b = words.cut(second).ids.slice(0, Math.max(0, longest - 3 - a.length))
  return {
    ids: [words.begin, ...a, words.end, ...b, words.end],
    segments: [...new Array<number>(a.length + 2).fill(0), ...new Array<number>(b.length + 1).fill(1)],
  }
}

function probabilities(logits: Float32Array): number[] {
  const most = Math.max(...logits)
  const raised = Array.from(logits, (value) => Math.exp(value - most))
  const sum = raised.reduce((total, value) => total + value, 0)
  return raised.map((value) => value / sum)
}
