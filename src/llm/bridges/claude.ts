import type { Question } from "../choice/access.ts"
import { askProgram, type BridgeAccess, type BridgeOptions, runStatus, type SignIn } from "./bridge.ts"
import { notSignedIn, readClaude } from "./claude-events.ts"
import { programEnvironment } from "./program-environment.ts"
import { answerSchema } from "./read-answer.ts"
import type { Prompt } from "./render-prompt.ts"
import type { Scratch } from "./scratch.ts"

/** How long a subscription sign-in is cached. */
const cachedMs = 10 * 60_000

/**
 * Disables everything of the program's own: tools, MCP servers, hooks, plugins, skills, commands, memory and settings.
 * Reading is denied too, because `@path` in a prompt makes the program attach that file even without tools.
 */
const isolation = [
  ...["--tools", ""],
  "--strict-mcp-config",
  ...["--setting-sources", ""],
  "--safe-mode",
  "--disable-slash-commands",
  "--no-session-persistence",
  ...["--settings", JSON.stringify({ permissions: { deny: ["Read", "Glob", "Grep"] } })],
  ...["--permission-prompts", "none"],
]

const isolationVariables = {
  CLAUDE_CODE_DISABLE_ATTACHMENTS: "1",
  CLAUDE_CODE_DISABLE_FILE_MENTIONS: "1",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  CLAUDE_CODE_DISABLE_REFUSAL_RETRY: "1",
  // The caller decides about retries.
  CLAUDE_CODE_MAX_RETRIES: "1",
}

/** Asks Anthropic's models through the user's own `claude`, with its sign-in. */
export function openClaude(needs: BridgeOptions): BridgeAccess {
  let cachedUntil = Number.NEGATIVE_INFINITY
  const signIn = async (signal: AbortSignal) => {
    if (needs.clock.now() < cachedUntil) return "subscription"
    const found = await askSignIn(needs, signal)
    if (found === "subscription") cachedUntil = needs.clock.now() + cachedMs
    return found
  }
  const program = {
    name: "claude",
    product: "Claude Code",
    notSignedIn,
    signedInByKey,
    signIn,
    start: async (prompt: Prompt, scratch: Scratch, { model, maxOutputTokens }: Question) => ({
      args: execArguments(model, prompt, scratch),
      env: environment(needs, outputLimits(maxOutputTokens)),
    }),
    read: readClaude,
  }
  return {
    id: "claude",
    signIn,
    async ask(question) {
      const answer = await askProgram(needs, program, question)
      if (answer.outcome === "failed" && answer.failure.kind === "auth") {
        cachedUntil = Number.NEGATIVE_INFINITY
      }
      return answer
    },
  }
}

const signedInByKey =
  "claude is signed in with an API key, which is billed by use; run `claude` and enter /login with a subscription, or use the anthropic access."

function execArguments(model: string, prompt: Prompt, scratch: Scratch): string[] {
  return [
    "-p",
    ...["--output-format", "stream-json", "--verbose"],
    ...["--model", model],
    ...["--system-prompt-file", scratch.write("system.md", prompt.system)],
    ...["--max-turns", "1"],
    ...isolation,
    ...(prompt.structured ? ["--json-schema", JSON.stringify(answerSchema)] : []),
  ]
}

function environment(needs: BridgeOptions, more: Record<string, string> = {}): Record<string, string> {
  // The user may have signed in with a token made for programs; it uses the subscription too.
  const signIn = ["CLAUDE_CONFIG_DIR", "CLAUDE_CODE_OAUTH_TOKEN"]
  return programEnvironment(needs.env, signIn, { ...isolationVariables, ...more, ...needs.extraEnv })
}

/** Older models count reasoning towards the same limit. It gets at most half, so that the answer has room. */
function outputLimits(maxOutputTokens: number): Record<string, string> {
  const thinking = Math.floor(maxOutputTokens / 2)
  return {
    CLAUDE_CODE_MAX_OUTPUT_TOKENS: String(maxOutputTokens),
    MAX_THINKING_TOKENS: String(thinking < 1024 ? 0 : thinking),
  }
}

/** Asks the program how it is signed in, so that we need not read its files. */
async function askSignIn(needs: BridgeOptions, signal: AbortSignal): Promise<SignIn> {
  const args = ["--setting-sources", "", "auth", "status"]
  const ended = await runStatus(needs, { args, env: environment(needs) }, signal)
  return ended.outcome === "ended" ? signInFrom(ended.stdout) : "unknown"
}

/** Reads `claude auth status`. */
function signInFrom(stdout: string): SignIn {
  try {
    const { loggedIn, authMethod } = JSON.parse(stdout)
    if (loggedIn === false) return "none"
    if (authMethod === "claude.ai" || authMethod === "oauth_token") return "subscription"
    return typeof authMethod === "string" ? "key" : "unknown"
  } catch {
    return "unknown"
  }
}
