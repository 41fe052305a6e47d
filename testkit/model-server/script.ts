import type { HttpRequest, ModelRequest } from "./asked.ts"
import type { ScriptStep, Step } from "./step.ts"

/** What the model will do, one step for each request, in the order they come. */
export interface Script {
  script(steps: readonly ScriptStep[]): void
  next(step: ScriptStep): void
  /** Is asked before the script: what it answers takes no step. For side questions, such as titles. */
  aside(answer: (request: ModelRequest) => Step | undefined): void
  /** Answers when no step is left; without it that is an error. For clients that ask again after a failure. */
  always(answer: ScriptStep): void
  /** Throws when steps are left, when there was a request too many, or when one could not be answered. */
  done(): void
  take(request: ModelRequest): Promise<Step>
  complain(problem: string): void
}

export function openScript(needs: { others: readonly HttpRequest[] }): Script {
  const steps: ScriptStep[] = []
  const asides: ((request: ModelRequest) => Step | undefined)[] = []
  const problems: string[] = []
  let fallback: ScriptStep | undefined
  let taken = 0

  function runOut(request: ModelRequest): Step {
    const problem = `script ran out: no step is left for ${describe(request)} (${taken} taken before)`
    problems.push(problem)
    return { fail: 500, message: problem, headers: { "x-should-retry": "false" } }
  }

  function choose(request: ModelRequest): ScriptStep | undefined {
    for (const aside of asides) {
      const step = aside(request)
      if (step !== undefined) return step
    }
    if (steps.length > 0) taken += 1
    return steps.shift() ?? fallback
  }

  return {
    script: (more) => void steps.push(...more),
    next: (step) => void steps.push(step),
    aside: (answer) => void asides.push(answer),
    always(answer) {
      fallback = answer
    },
    complain: (problem) => void problems.push(problem),
    async take(request) {
      try {
        const step = choose(request) ?? runOut(request)
        return typeof step === "function" ? await step(request) : step
      } catch (error) {
        const problem = `a step failed at ${describe(request)}: ${error instanceof Error ? error.message : error}`
        problems.push(problem)
        return { fail: 500, message: problem, headers: { "x-should-retry": "false" } }
      }
    },
    done() {
      const found = [...new Set(problems)]
      if (steps.length > 0) {
        const elsewhere = needs.others.map(({ method, path }) => `${method} ${path}`).join(", ")
        found.push(
          `${steps.length} of ${taken + steps.length} steps were never asked for` +
            (elsewhere === "" ? "" : `; other requests that came: ${elsewhere}`),
        )
      }
      if (found.length > 0) throw new Error(`the model server: ${found.join("; ")}`)
    },
  }
}

function describe({ path, asked }: ModelRequest): string {
  const last = JSON.stringify(asked.messages.at(-1) ?? null)
  return `${path} (${asked.model}, last message ${last.slice(0, 200)})`
}
