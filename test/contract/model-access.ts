import { describe, expect, it } from "vitest"
import type { Answer, ModelAccess, Question, ToolShape } from "../../src/llm/choice/access.ts"
import type { ModelServer } from "../../testkit/model-server/model-server.ts"
import { type AnswerStep, isFailure, type Step } from "../../testkit/model-server/step.ts"

/** One kind of access, wired to a scripted server. */
interface OpenedAccess {
  access: ModelAccess
  server: ModelServer
}

/** One kind of access, and how its tests differ from the others'. */
interface Kind {
  name: string
  model: string
  open(options?: { silenceMs?: number }): Promise<OpenedAccess>
  /** How tool calls look on the wire, for a way that has a form of its own. */
  inItsForm?(step: AnswerStep): AnswerStep
  /** There is a program between that asks again by itself and says in its own way that a stream broke off. */
  isProgram?: boolean
}

/** Plays the steps; one that fails is played as often as a program asks. */
function play({ inItsForm, isProgram }: Kind, server: ModelServer, steps: readonly Step[]): void {
  const [first] = steps
  if (isProgram && first && steps.length === 1 && isLasting(first)) server.always(first)
  else
    server.script(steps.map((step) => (!isFailure(step) && step.calls && inItsForm ? inItsForm(step) : step)))
}

function isLasting(step: Step): boolean {
  return isFailure(step) || step.cut !== undefined || step.badJson === true || step.empty === true
}

const weather: ToolShape = {
  name: "weather",
  description: "Tells the weather of a town.",
  schema: {
    type: "object",
    properties: { town: { type: "string" } },
    required: ["town"],
    additionalProperties: false,
  },
}

type Trouble = [string, Step, RegExp]

/** What every way to a model has to do alike. */
export function describeModelAccess(kind: Kind): void {
  const ask = async (steps: Step[], changes: Partial<Question> = {}) => {
    const { access, server } = await kind.open()
    play(kind, server, steps)
    return { answer: await access.ask(questionFor(kind.model, changes)), server }
  }

  describe(kind.name, () => {
    it("hands over system, history and tools, and brings back text and what it used", async () => {
      const { answer, server } = await ask(
        [{ text: "Rain, says the tool.", usage: { input: 120, cached: 20, output: 9 } }],
        {
          tools: [weather],
          messages: [
            { role: "user", text: "How is it in Kiel?" },
            {
              role: "assistant",
              text: "I look.",
              calls: [{ id: "call_1", name: "weather", input: { town: "Kiel" } }],
            },
            { role: "tool", results: [{ callId: "call_1", name: "weather", text: "rain", isError: false }] },
          ],
        },
      )
      expect(answer).toMatchObject({ outcome: "answered", text: "Rain, says the tool.", calls: [] })
      expect(answer.spent).toMatchObject({ output: 9 })
      const asked = JSON.stringify(server.requests[0]?.body)
      for (const part of ["Be brief.", "How is it in Kiel?", "weather", "Kiel", "rain"])
        expect(asked).toContain(part)
    })

    it("brings back tool calls with their input, and takes its own turn back with the next question", async () => {
      const { access, server } = await kind.open()
      play(kind, server, [
        { thinking: "hm", text: "Wait.", calls: [{ name: "weather", input: { town: "Kiel" } }] },
        { text: "Rain." },
      ])
      const first = await access.ask(questionFor(kind.model, { tools: [weather] }))
      expect(first).toMatchObject({
        outcome: "answered",
        text: "Wait.",
        finish: "calls",
        calls: [{ name: "weather", input: { town: "Kiel" } }],
      })
      const { calls, text, native } = answered(first)
      const second = await access.ask(
        questionFor(kind.model, {
          tools: [weather],
          messages: [
            { role: "user", text: "How is it in Kiel?" },
            { role: "assistant", text, calls, native },
            {
              role: "tool",
              results: [{ callId: calls[0]?.id ?? "", name: "weather", text: "rain", isError: false }],
            },
          ],
        }),
      )
      expect(second).toMatchObject({ outcome: "answered", text: "Rain.", calls: [], finish: "stop" })
      const shown = JSON.stringify(server.requests[1]?.body)
      for (const words of ["How is it in Kiel?", "Wait.", "rain"]) expect(shown).toContain(words)
    })

    const refusals: [string, Step, Record<string, unknown>][] = [
      ["a wrong key", { fail: 401 }, { kind: "auth", message: expect.stringMatching(/login|key|sign/i) }],
      ["no credit", { fail: "no-credit" }, { kind: "billing" }],
      [
        "an unknown model",
        { fail: 404 },
        { kind: "unknown-model", message: expect.stringContaining(kind.model) },
      ],
      ["a context that is full", { fail: "context-full" }, { kind: "context-full" }],
    ]
    it.each(refusals)("tells %s", async (_, step, failure) => {
      const { answer } = await ask([step])
      expect(answer).toMatchObject({ outcome: "failed", failure })
      expect(messageOf(answer)).toMatch(kind.isProgram ? oneSentence : /./)
    })

    it("tells that it is asked too often, and from when on it may be asked again", async () => {
      const before = Date.now()
      // A program waits that long before it tries again itself.
      const { answer } = await ask([{ fail: 429, retryAfter: kind.isProgram ? 1 : 30 }])
      expect(answer).toMatchObject({ outcome: "failed", failure: { kind: "rate-limited" } })
      // Programs keep that to themselves.
      if (kind.isProgram) return
      const retryAt = answer.outcome === "failed" ? answer.failure.retryAt : undefined
      expect(retryAt).toBeGreaterThanOrEqual(before + 30_000)
    })

    const broken = kind.isProgram ? /malformed|unreachable|overloaded/ : /malformed/
    const troubles: Trouble[] = [
      ["trouble of the provider's own", { fail: 500 }, /overloaded/],
      ["an overloaded provider", { fail: 529 }, /overloaded/],
      ["a stream that breaks off", { text: "one two three four five six", cut: 3 }, broken],
      // What a program makes of broken JSON on its way is its own affair.
      ...(kind.isProgram
        ? []
        : ([["an answer that is no JSON", { text: "fine", badJson: true }, broken]] as Trouble[])),
      ["an empty answer", { empty: true }, /empty/],
    ]
    it.each(troubles)("tells %s", async (_, step, failure) => {
      const { answer } = await ask([step])
      expect(answer.outcome === "failed" ? answer.failure.kind : "answered").toMatch(failure)
      expect(messageOf(answer)).toMatch(kind.isProgram ? oneSentence : /./)
    })

    it("gives up a model that falls silent", async () => {
      const { access, server } = await kind.open({ silenceMs: kind.isProgram ? 3000 : 200 })
      server.always({ text: "never", hang: true })
      const answer = await access.ask(questionFor(kind.model))
      expect(answer).toMatchObject({ outcome: "failed", failure: { kind: "timeout" } })
    })

    // Of a program, the tests of bridges ask more: that every process ends.
    if (!kind.isProgram)
      it("ends at once when it is called off", async () => {
        const { access, server } = await kind.open()
        server.script([{ text: "never", hang: 2 }])
        const calledOff = new AbortController()
        const asking = access.ask(questionFor(kind.model, { signal: calledOff.signal }))
        const request = await server.received(1)
        calledOff.abort()
        expect(await asking).toMatchObject({ outcome: "failed", failure: { kind: "aborted" } })
        expect(await request.ended).toBe("abandoned")
      })

    it("cannot be reached when nobody is there", async () => {
      const { access, server } = await kind.open()
      await server.close()
      const answer = await access.ask(questionFor(kind.model))
      expect(answer.outcome === "failed" ? answer.failure.kind : "answered").toMatch(
        kind.isProgram ? /unreachable|overloaded|malformed/ : /unreachable/,
      )
    })
  })
}

function questionFor(model: string, changes: Partial<Question> = {}): Question {
  return {
    model,
    system: "Be brief.",
    messages: [{ role: "user", text: "How is it in Kiel?" }],
    tools: [],
    toolChoice: "auto",
    maxOutputTokens: 500,
    signal: new AbortController().signal,
    ...changes,
  }
}

/** What is wrong, and what to do or what the program said. */
const oneSentence = /^[^\n]+[;:] ?[^\n]+\.$/

function messageOf(answer: Answer): string {
  return answer.outcome === "failed" ? answer.failure.message : ""
}

function answered(answer: Answer): Extract<Answer, { outcome: "answered" }> {
  if (answer.outcome === "failed") throw new Error(answer.failure.message)
  return answer
}
