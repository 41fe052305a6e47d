import type { Asked } from "./asked.ts"
import type { AnswerStep, StepCall, StepUsage } from "./step.ts"

/** An answer with everything filled in, for a wire format to put into its words. */
export interface Said {
  /** Tells this answer from every other of the server; formats put their prefix before it. */
  id: string
  createdAt: number
  model: string
  text: string
  thinking: string
  calls: readonly SaidCall[]
  usage: Required<Omit<StepUsage, "costUsd">> & { costUsd: number | null }
  finish: "stop" | "calls" | "length" | "filtered"
}

export interface SaidCall {
  /** As the step gave it; formats make one up where it gave none. */
  id: string | null
  name: string
  /** JSON, if the step did not want it broken. */
  input: string
}

/** Fills in what the step leaves open. */
export function sayStep(step: AnswerStep, asked: Asked, given: { id: string; createdAt: number }): Said {
  const calls = step.empty ? [] : callsOf(step, asked).map(saidCall)
  const text = step.empty ? "" : (step.text ?? (calls.length > 0 ? "" : "All right."))
  const thinking = step.thinking ?? ""
  const output = tokensIn(text + thinking + calls.map((call) => call.name + call.input).join(""))
  return {
    ...given,
    model: step.model ?? asked.model,
    text,
    thinking,
    calls,
    usage: {
      input: tokensIn(asked.system + JSON.stringify([asked.messages, asked.tools])),
      output,
      cached: 0,
      written: 0,
      thinking: Math.min(tokensIn(thinking), step.usage?.output ?? output),
      costUsd: null,
      ...step.usage,
    },
    finish: step.stop ?? (calls.length > 0 ? "calls" : "stop"),
  }
}

/** Roughly what a tokenizer would count. */
export function tokensIn(text: string): number {
  return Math.ceil(text.length / 4)
}

function callsOf(step: AnswerStep, asked: Asked): readonly StepCall[] {
  if (step.toolStorm === undefined) return step.calls ?? []
  const given = step.calls ?? asked.tools.slice(0, 1)
  if (given.length === 0) throw new Error("a tool storm needs calls in the step, or a tool in the request")
  return Array.from({ length: step.toolStorm }, (_, index) => {
    const call: StepCall = given[index % given.length] as StepCall
    return { name: call.name, input: call.input ?? {} }
  })
}

function saidCall(call: StepCall): SaidCall {
  const input = typeof call.input === "string" ? call.input : JSON.stringify(call.input ?? {})
  return { id: call.id ?? null, name: call.name, input }
}
