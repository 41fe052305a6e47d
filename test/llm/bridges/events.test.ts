import { describe, expect, test } from "vitest"
import { readClaude } from "../../../src/llm/bridges/claude-events.ts"
import { catalogWithoutTools } from "../../../src/llm/bridges/codex-catalog.ts"
import { readCodex, threadOf } from "../../../src/llm/bridges/codex-events.ts"
import { quotable } from "../../../src/llm/bridges/program-messages.ts"

const asked = { model: "m", messages: [], structured: true }
const at = 1000
const lines = (...events: unknown[]) => `${events.map((event) => JSON.stringify(event)).join("\n")}\n`

// Cut down from what claude 2.1.325 printed.
const claudeSays = (content: unknown[], more: object = {}) => ({
  type: "assistant",
  message: { model: "claude-sonnet-4-5", role: "assistant", content, stop_reason: null },
  ...more,
})
const claudeEnds = (more: object = {}) => ({
  type: "result",
  subtype: "success",
  is_error: false,
  stop_reason: "end_turn",
  terminal_reason: "completed",
  api_error_status: null,
  result: "",
  usage: {
    input_tokens: 100,
    cache_creation_input_tokens: 7,
    cache_read_input_tokens: 11,
    output_tokens: 23,
  },
  ...more,
})
const claude = (...events: unknown[]) => readClaude(lines(...events), { asked, at })

describe("What claude prints", () => {
  test("is an answer once there is a result", () => {
    const said = claudeSays([
      { type: "thinking", thinking: "hm" },
      { type: "text", text: "Yes." },
    ])
    expect(claude(said).answer).toBeUndefined()
    expect(claude(said, claudeEnds()).answer).toMatchObject({
      outcome: "answered",
      text: "Yes.",
      model: "claude-sonnet-4-5",
      spent: { input: 118, cachedInput: 11, output: 23, costUsd: null },
    })
  })

  test("may be torn, or have prose among it", () => {
    const whole = `Warning: x\n${lines(claudeSays([{ type: "text", text: "Yes." }]))}{"type":"resu`
    expect(readClaude(whole, { asked, at }).answer).toBeUndefined()
    expect(readClaude(`${whole}\n${lines(claudeEnds())}`, { asked, at }).answer).toMatchObject({
      text: "Yes.",
    })
  })

  test("counts what was said beside a structured answer", () => {
    const input = { say: "", calls: [{ tool: "look", input: "{}" }] }
    const said = claudeSays([
      { type: "text", text: "I look." },
      { type: "tool_use", id: "t", name: "StructuredOutput", input },
    ])
    const answer = claude(said, claudeEnds({ stop_reason: "tool_use", structured_output: input })).answer
    expect(answer).toMatchObject({ text: "I look.", calls: [{ name: "look" }], finish: "calls" })
  })

  test("is filtered where the model was stopped", () => {
    const answer = claude(
      claudeSays([{ type: "text", text: "Ho" }]),
      claudeSays([{ type: "text", text: "API Error" }], { error: "invalid_request" }),
      claudeEnds({ is_error: true, stop_reason: "refusal", terminal_reason: "api_error" }),
    ).answer
    expect(answer).toMatchObject({ outcome: "answered", text: "", finish: "filtered" })
  })

  test("is cut where the output was used up", () => {
    const synthetic = { ...claudeSays([{ type: "text", text: "API Error" }]), error: "max_output_tokens" }
    synthetic.message.model = "<synthetic>"
    const end = claudeEnds({ is_error: true, terminal_reason: "api_error", api_error: "max_output_tokens" })
    const answer = claude(claudeSays([{ type: "text", text: "On and" }]), synthetic, end).answer
    expect(answer).toMatchObject({ outcome: "answered", text: "On and", finish: "length" })
    expect(claude(synthetic, end).answer).toMatchObject({ outcome: "failed", failure: { kind: "empty" } })
  })

  test("names windows of single models, and ones it does not know", () => {
    const rate_limit_info = {
      status: "allowed",
      unifiedWindows: {
        seven_day_opus: { utilization: 0.5, resetsAt: 9 },
        overage: { utilization: 0.25, resetsAt: null },
      },
    }
    expect(claude({ type: "rate_limit_event", rate_limit_info }).readings).toEqual([
      {
        window: "7d-opus",
        unit: "percent",
        capacity: 100,
        used: 50,
        resetsAt: 9000,
        lengthMs: 604_800_000,
        at,
      },
      { window: "overage", unit: "percent", capacity: 100, used: 25, resetsAt: null, lengthMs: null, at },
    ])
  })
})

// Cut down from what codex 0.166.0 printed and recorded.
const thread = { type: "thread.started", thread_id: "01a1" }
const codexSays = (text: string) => ({
  type: "item.completed",
  item: { id: "i", type: "agent_message", text },
})
const codexEnds = {
  type: "turn.completed",
  usage: { input_tokens: 200, cached_input_tokens: 50, output_tokens: 30, reasoning_output_tokens: 5 },
}
const codexFails = (message: string) => ({ type: "turn.failed", error: { message } })
const recorded = (payload: object) => lines({ timestamp: "t", type: "event_msg", payload })
const codex = (events: unknown[], session = "") =>
  readCodex({ stdout: lines(...events), session }, { asked, at })
const kindFor = (message: string, info?: unknown) => {
  const session = recorded({ type: "task_complete", error: { message, codex_error_info: info } })
  const { answer } = codex([thread, codexFails(message)], info === undefined ? "" : session)
  return answer?.outcome === "failed" ? answer.failure.kind : undefined
}

describe("What codex prints and records", () => {
  test("is the last thing it says", () => {
    expect(threadOf(lines(thread))).toBe("01a1")
    expect(threadOf("nothing")).toBeUndefined()
    expect(codex([thread, codexSays("Let me see.")]).answer).toBeUndefined()
    const warning = { type: "item.completed", item: { id: "w", type: "error", message: "deprecated" } }
    expect(
      codex([thread, warning, codexSays("Let me see."), codexSays("Yes."), codexEnds]).answer,
    ).toMatchObject({
      outcome: "answered",
      text: "Yes.",
      spent: { input: 200, cachedInput: 50, output: 30, costUsd: null },
    })
  })

  test("tells kinds of failure by their name, where it recorded one", () => {
    expect(kindFor("x", "usage_limit_exceeded")).toBe("rate-limited")
    expect(kindFor("x", "context_window_exceeded")).toBe("context-full")
    expect(kindFor("x", "unauthorized")).toBe("auth")
    expect(kindFor("x", { response_too_many_failed_attempts: { http_status_code: 429 } })).toBe(
      "rate-limited",
    )
    expect(kindFor("x", { http_connection_failed: { http_status_code: 502 } })).toBe("overloaded")
    expect(kindFor("Connection failed: x", { http_connection_failed: { http_status_code: null } })).toBe(
      "unreachable",
    )
  })

  test("tells kinds of failure by its words, where it recorded none", () => {
    expect(kindFor("You’ve hit your usage limit. Try again at 4:26 PM.")).toBe("rate-limited")
    expect(kindFor("Quota exceeded. Check your plan and billing details.")).toBe("billing")
    expect(kindFor('{"detail":"The x model is not supported when using Codex with a plan."}')).toBe(
      "unknown-model",
    )
    expect(kindFor("Your access token could not be refreshed. Please sign in again.")).toBe("auth")
    expect(kindFor("stream disconnected before completion")).toBe("malformed")
    expect(kindFor('{"error":{"message":"Unknown thing"}}')).toBe("bad-request")
  })

  test("tells what a failed turn used", () => {
    const session = recorded({
      type: "token_count",
      info: { total_token_usage: { input_tokens: 9, cached_input_tokens: 1, output_tokens: 2 } },
      rate_limits: null,
    })
    expect(codex([thread, codexFails("x")], session).answer).toMatchObject({
      outcome: "failed",
      spent: { input: 9, cachedInput: 1, output: 2 },
      readings: [],
    })
  })
})

describe("The catalogue of codex's models", () => {
  test("loses their tools and keeps the rest", () => {
    const model = {
      slug: "gpt-5.5",
      apply_patch_tool_type: "freeform",
      shell_type: "unified_exec",
      context_window: 9,
    }
    expect(JSON.parse(catalogWithoutTools(JSON.stringify({ models: [model] })) ?? "")).toEqual({
      models: [{ slug: "gpt-5.5", apply_patch_tool_type: null, shell_type: "disabled", context_window: 9 }],
    })
  })

  test("is none where the program tells none", () => {
    for (const text of ["", "error: unrecognized subcommand", '{"models":[]}', '{"models":"x"}']) {
      expect(catalogWithoutTools(text)).toBeUndefined()
    }
  })
})

describe("Words of a program that are quoted", () => {
  test("are short, on one line and without keys", () => {
    const keys = [
      "sk-ant-oat01-abcdefghijkl",
      "sk-proj-1234567890",
      "eyJhbGciOiJub25lIn0.eyJleHAiOjF9.c2ln",
      "Bearer abc",
      "0123456789abcdef0123456789abcdef",
    ]
    const text = quotable(`Bad:\n${keys.join(" and\n")} ${"no ".repeat(300)}`)
    for (const key of keys) expect(text).not.toContain(key)
    expect(text).toMatch(/^Bad: \*\*\* and [^\n]{0,290}$/)
    expect(quotable("The model `claude-sonnet-4-5-20250929` is unknown.")).toContain(
      "claude-sonnet-4-5-20250929",
    )
  })
})
