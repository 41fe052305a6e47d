import type { Question } from "../choice/access.ts"
import { askAbout, askProgram, type BridgeAccess, type BridgeNeeds, type SignIn } from "./bridge.ts"
import { notSignedIn, readClaude } from "./claude-events.ts"
import { programEnvironment } from "./program-environment.ts"
import { answerSchema } from "./read-answer.ts"
import type { Prompt } from "./render-prompt.ts"
import type { Scratch } from "./scratch.ts"

/** How long a sign-in with a subscription is believed without asking again. */
const believedMs = 10 * 60_000

/**
 * Nothing of the program's own may act or be read: no tools, MCP servers, hooks, plugins, skills, commands, memory or
 * settings. Reading is denied as well, because `@path` in a prompt makes the program attach that file, tools or not.
 */
const alone = [
  ...["--tools", ""],
  "--strict-mcp-config",
  ...["--setting-sources", ""],
  "--safe-mode",
  "--disable-slash-commands",
  "--no-session-persistence",
  ...["--settings", JSON.stringify({ permissions: { deny: ["Read", "Glob", "Grep"] } })],
  ...["--permission-prompts", "none"],
]

const quietly = {
  CLAUDE_CODE_DISABLE_ATTACHMENTS: "1",
  CLAUDE_CODE_DISABLE_FILE_MENTIONS: "1",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  CLAUDE_CODE_DISABLE_REFUSAL_RETRY: "1",
  // Whoever asks decides about trying again.
  CLAUDE_CODE_MAX_RETRIES: "1",
}

/** Asks Anthropic's models through the user's own `claude`, which finds its sign-in by itself. */
export function openClaude(needs: BridgeNeeds): BridgeAccess {
  let believedUntil = Number.NEGATIVE_INFINITY
  const signIn = async (signal: AbortSignal) => {
    if (needs.clock.now() < believedUntil) return "subscription"
    const found = await askSignIn(needs, signal)
    if (found === "subscription") believedUntil = needs.clock.now() + believedMs
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
        believedUntil = Number.NEGATIVE_INFINITY
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
    ...alone,
    ...(prompt.structured ? ["--json-schema", JSON.stringify(answerSchema)] : []),
  ]
}

function environment(needs: BridgeNeeds, more: Record<string, string> = {}): Record<string, string> {
  // A token made for programs is the user's way to sign this one in; it draws on the subscription too.
  const signIn = ["CLAUDE_CONFIG_DIR", "CLAUDE_CODE_OAUTH_TOKEN"]
  return programEnvironment(needs.env, signIn, { ...quietly, ...more, ...needs.extraEnv })
}

/** Older models think within the same limit: at most half of it, so that there is room for the answer. */
function outputLimits(maxOutputTokens: number): Record<string, string> {
  const thinking = Math.floor(maxOutputTokens / 2)
  return {
    CLAUDE_CODE_MAX_OUTPUT_TOKENS: String(maxOutputTokens),
    MAX_THINKING_TOKENS: String(thinking < 1024 ? 0 : thinking),
  }
}

/** How the program says it is signed in; its own words, so that we need not look at its files. */
async function askSignIn(needs: BridgeNeeds, signal: AbortSignal): Promise<SignIn> {
  const args = ["--setting-sources", "", "auth", "status"]
  const ended = await askAbout(needs, { args, env: environment(needs) }, signal)
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
