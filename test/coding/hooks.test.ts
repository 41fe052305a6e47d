import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { answerHook, dialectFor } from "../../src/coding/hooks/answer-hook.ts"
import { fakeRecall } from "../../testkit/fake-recall.ts"

const fixtures = join(import.meta.dirname, "../fixtures/hooks")

/** What a tool handed its hook at this event. */
function sample(tool: string, event: string): Record<string, unknown> {
  const lines = readFileSync(join(fixtures, `${tool}.jsonl`), "utf8")
    .trim()
    .split("\n")
  const found = lines.map((line) => JSON.parse(line)).find((one) => one.hook_event_name === event)
  if (found === undefined) throw new Error(`no sample of ${event}`)
  return found
}

/** Tells an event to recall, and gives what recall heard and what the hook prints. */
async function tell(tool: string, event: string, input: unknown, text = "remember the tides") {
  const dialect = dialectFor(tool, event)
  if (dialect === undefined) throw new Error(`${tool} has no ${event}`)
  const recall = fakeRecall({ start: text, prompt: text, tool: text, call: text })
  const printed = await answerHook({ recall }, dialect, event, input)
  return { heard: recall.heard[0], started: recall.starts[0], printed }
}

const context = (hookEventName: string) => ({
  hookSpecificOutput: { hookEventName, additionalContext: "remember the tides" },
})

describe.each(["claude-code", "codex"])("Hooks of %s", (tool) => {
  const session = {
    id: `${tool}:${sample(tool, "SessionStart").session_id}`,
    tool,
    project: "/home/ada/src/tides",
  }

  test("begin a session and put the project's memory before the agent", async () => {
    const { heard, printed } = await tell(tool, "SessionStart", sample(tool, "SessionStart"))
    expect(heard).toEqual({ session, event: "start" })
    expect(printed).toEqual(context("SessionStart"))
  })

  test("tell of a prompt", async () => {
    const { heard, printed } = await tell(tool, "UserPromptSubmit", sample(tool, "UserPromptSubmit"))
    expect(heard).toEqual({ session, event: { kind: "prompt", text: "run the demo command please" } })
    expect(printed).toEqual(context("UserPromptSubmit"))
  })

  test("tell what a tool said", async () => {
    const { heard, printed } = await tell(tool, "PostToolUse", sample(tool, "PostToolUse"))
    const text = expect.stringMatching(/^hello-from-tool\nREADME\.md/)
    const input = expect.stringMatching(/^echo hello-from-tool; ls/)
    expect(heard?.event).toEqual({ kind: "tool", name: "Bash", text, input, isError: false })
    expect(printed).toEqual(context("PostToolUse"))
  })

  test("hold a tool call with the reason for it", async () => {
    const input = { ...sample(tool, "PostToolUse"), hook_event_name: "PreToolUse" }
    const { heard, printed } = await tell(tool, "PreToolUse", input)
    const text = expect.stringMatching(/^echo hello-from-tool; ls/)
    expect(heard?.event).toEqual({ kind: "call", name: "Bash", text })
    const held = { hookEventName: "PreToolUse", permissionDecision: "deny" }
    expect(printed).toEqual({
      hookSpecificOutput: { ...held, permissionDecisionReason: "remember the tides" },
    })
  })

  test("tell the agent what is new only where a session is resumed", async () => {
    const input = sample(tool, "SessionStart")
    const { started } = await tell(tool, "SessionStart", { ...input, source: "resume" })
    expect(started).toBe("resumed")
    expect((await tell(tool, "SessionStart", { ...input, source: "compact" })).started).toBe("anew")
  })

  test("tell what the agent said, and print nothing then", async () => {
    const { heard, printed } = await tell(tool, "Stop", sample(tool, "Stop"))
    const text = "Done. I ran the command and it printed hello-from-tool."
    expect(heard?.event).toEqual({ kind: "output", text })
    expect(printed).toBeUndefined()
  })

  test("end a session", async () => {
    const { heard, printed } = await tell(tool, "SessionEnd", sample(tool, "SessionEnd"))
    expect(heard).toEqual({ session, event: "end" })
    expect(printed).toBeUndefined()
  })

  test("print nothing where nothing comes up", async () => {
    expect((await tell(tool, "SessionStart", sample(tool, "SessionStart"), "")).printed).toBeUndefined()
  })

  test("pass over what is not understood", async () => {
    for (const input of [null, 7, "x", [], {}, { session_id: 3 }, { session_id: "s", prompt: "" }]) {
      const { heard, printed } = await tell(tool, "UserPromptSubmit", input)
      expect([heard, printed]).toEqual([undefined, undefined])
    }
  })

  test("pass over what subagents do", async () => {
    const input = { ...sample(tool, "PostToolUse"), agent_id: "a157fcaa9eecc0db8" }
    expect((await tell(tool, "PostToolUse", input)).heard).toBeUndefined()
  })

  test("name the files that a tool was about", async () => {
    const input = {
      ...sample(tool, "PostToolUse"),
      tool_input: { file_path: "/home/ada/src/tides/note.sql" },
    }
    expect((await tell(tool, "PostToolUse", input)).heard?.event).toMatchObject({
      files: ["/home/ada/src/tides/note.sql"],
    })
    const command = "apply_patch <<'E'\n*** Begin Patch\n*** Update File: src/tide.ts\n*** Add File: b.md\n"
    const patch = { ...sample(tool, "PostToolUse"), tool_input: { command } }
    expect((await tell(tool, "PostToolUse", patch)).heard?.event).toMatchObject({
      files: ["src/tide.ts", "b.md"],
    })
  })

  test("carry the two ends of a huge output", async () => {
    const output = `first line\n${"x".repeat(5_000_000)}\nError: no such tide`
    const input = { ...sample(tool, "PostToolUse"), tool_response: output }
    const event = (await tell(tool, "PostToolUse", input)).heard?.event
    const text = typeof event === "object" && event.kind === "tool" ? event.text : ""
    expect(text.length).toBeLessThan(50_000)
    expect(text).toMatch(/^first line\n[\s\S]*Error: no such tide$/)
  })
})

test("Claude Code tells of a tool that failed by an event of its own", async () => {
  const { tool_response: _, ...input } = sample("claude-code", "PostToolUse")
  const failed = { ...input, hook_event_name: "PostToolUseFailure", error: "Exit code 2\nno such file" }
  const { heard, printed } = await tell("claude-code", "PostToolUseFailure", failed)
  expect(heard?.event).toMatchObject({ kind: "tool", text: "Exit code 2\nno such file", isError: true })
  expect(printed).toEqual(context("PostToolUseFailure"))
})

describe("Hooks of Codex, by its own schemas", () => {
  const schema = (name: string) =>
    z.fromJSONSchema(JSON.parse(readFileSync(join(fixtures, "codex-schema", name), "utf8")))

  test.each([
    ["SessionStart", "session-start"],
    ["UserPromptSubmit", "user-prompt-submit"],
    ["PreToolUse", "pre-tool-use"],
    ["PostToolUse", "post-tool-use"],
  ])("print what it accepts at %s", async (event, name) => {
    const input = sample("codex", event)
    expect(schema(`${name}.command.input.schema.json`).safeParse(input).success).toBe(true)
    const { printed } = await tell("codex", event, input)
    const output = schema(`${name}.command.output.schema.json`)
    expect(output.safeParse(printed).error).toBeUndefined()
    // The schema does refuse what Codex would.
    expect(output.safeParse({ ...printed, more: 1 }).success).toBe(false)
    const other = { hookSpecificOutput: { hookEventName: "Else", additionalContext: "x" } }
    expect(output.safeParse(other).success).toBe(false)
  })
})

describe("Hooks of Gemini CLI", () => {
  const tool = "gemini-cli"

  test("have the same meaning under other names", async () => {
    expect((await tell(tool, "SessionStart", sample(tool, "SessionStart"))).printed).toEqual(
      context("SessionStart"),
    )
    const after = await tell(tool, "AfterAgent", sample(tool, "AfterAgent"))
    expect(after.heard?.event).toMatchObject({ kind: "output" })
    expect(after.printed).toBeUndefined()
    expect((await tell(tool, "SessionEnd", sample(tool, "SessionEnd"))).heard?.event).toBe("end")
  })

  test("tell the user's own words, without what hooks put before them", async () => {
    const { heard, printed } = await tell(tool, "BeforeAgent", sample(tool, "BeforeAgent"))
    expect(heard?.event).toEqual({ kind: "prompt", text: "run the demo command please" })
    expect(printed).toEqual(context("BeforeAgent"))
  })

  test("tell what a tool said, once, and whether it failed", async () => {
    const input = sample(tool, "AfterTool")
    const { heard } = await tell(tool, "AfterTool", input)
    const said = {
      kind: "tool",
      name: "run_shell_command",
      text: "hello-from-tool\nREADME.md",
      input: expect.stringMatching(/^echo hello-from-tool; ls/),
      isError: false,
    }
    expect(heard?.event).toEqual(said)
    const failed = { ...input, tool_response: { llmContent: "x", error: { message: "no such file" } } }
    expect((await tell(tool, "AfterTool", failed)).heard?.event).toMatchObject({
      text: "no such file",
      isError: true,
    })
  })
})

describe("The plugin inside opencode", () => {
  const about = { sessionID: "ses_1", directory: "/home/ada/src/tides" }

  test.each([
    ["start", {}, "start", true],
    ["prompt", { text: "hello" }, { kind: "prompt", text: "hello" }, true],
    ["output", { text: "done" }, { kind: "output", text: "done" }, false],
    [
      "tool",
      { tool: "read", args: { filePath: "a.ts" }, text: "code" },
      { kind: "tool", name: "read", text: "code", input: "a.ts", isError: false, files: ["a.ts"] },
      true,
    ],
    [
      "call",
      { tool: "edit", args: { filePath: "a.rs", oldString: "log()", newString: "println!()" } },
      { kind: "call", name: "edit", text: "a.rs\nprintln!()" },
      true,
    ],
    ["end", {}, "end", false],
  ])("tells of %s", async (event, more, meaning, takesContext) => {
    const { heard, printed } = await tell("opencode", event, { ...about, ...more })
    const session = { id: "opencode:ses_1", tool: "opencode", project: "/home/ada/src/tides" }
    expect(heard).toEqual({ session, event: meaning })
    expect(printed).toEqual(takesContext ? { context: "remember the tides" } : undefined)
  })
})

test("Only events that are answered have a dialect", () => {
  expect(dialectFor("codex", "PreCompact")).toBeUndefined()
  expect(dialectFor("codex", "constructor")).toBeUndefined()
  expect(dialectFor("emacs", "SessionStart")).toBeUndefined()
})
