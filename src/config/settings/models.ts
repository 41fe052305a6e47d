import { z } from "zod"
import { key, matching, modelName, serverAddress, table, variableName } from "../key.ts"

/** The providers of models. */
export const accessNames = [
  "chatgpt",
  "codex",
  "claude",
  "openai",
  "anthropic",
  "openrouter",
  "local",
] as const

export const models = table({
  provider: key(z.enum(["auto", ...accessNames, "none"]).default("auto"), {
    help: "The provider for every job. chatgpt is your ChatGPT subscription, with Reverie's own sign-in (`reverie login chatgpt`); codex is the same through your `codex` program; claude is your Claude subscription through your `claude` program; local is a server of your own (models.local_url); openai, anthropic and openrouter are billed by use with a key (`reverie login openai`) and need models.allow_api_keys. auto picks the first available of these, in this order; of two subscriptions it prefers the one you are not using at the moment. none never asks a model: rules do everything. A project may set it to none, and no text of that project is then sent to a model.",
    tighten: "none",
  }),
  gardener: key(matching(modelName), {
    help: "The model that maintains the memory and works on branches, as PROVIDER/MODEL such as claude/opus or local/qwen3, or only the model's name. Empty uses the strongest model of the chosen provider.",
    expects: "empty, MODEL or PROVIDER/MODEL such as openai/gpt-6.1-sol",
  }),
  judge: key(matching(modelName), {
    help: "The model that decides which memories matter for a prompt. It is asked often, so it should be cheap and fast. Empty uses the cheapest model of the chosen provider.",
    expects: "empty, MODEL or PROVIDER/MODEL such as local/qwen3",
  }),
  extraction: key(matching(modelName), {
    help: "The model that reads finished sessions for things worth remembering. Empty uses the judge's model.",
    expects: "empty, MODEL or PROVIDER/MODEL such as anthropic/claude-haiku-5-5",
  }),
  chat: key(matching(modelName), {
    help: "The model that decides and writes in chat channels. Empty uses a mid-range model.",
    expects: "empty, MODEL or PROVIDER/MODEL such as claude/sonnet",
  }),
  allow_api_keys: key(z.boolean().default(false), {
    help: "Whether keys that are billed for every call may be used when no subscription or local server is available. models.daily_usd limits the cost per day.",
  }),
  daily_usd: key(z.number().min(0).max(10_000).default(1), {
    help: "The maximum cost of calls with billed keys in any 24 hours, in US dollars. A call that could exceed it is not made. 0 allows none.",
  }),
  local_url: serverAddress(
    "The address of your own server with an API like OpenAI's /v1/chat/completions (Ollama, llama.cpp, vLLM, LM Studio), up to and including /v1. For a server on another machine, secrets are removed first, as for any provider.",
    "http://127.0.0.1:11434/v1",
  ),
  local_model: key(z.string().default(""), {
    help: "The local server's model. Empty asks the server for its models and uses the first.",
    expects: "empty or the name of a model",
  }),
  local_key_env: key(matching(variableName), {
    help: "The environment variable with the local server's key, if it needs one. The key is sent only over https or to this machine.",
    expects: "empty or the name of an environment variable",
  }),
  local_context: key(z.int().min(2000).max(10_000_000).default(32_768), {
    help: "The context window of the local model, in tokens. Set it to the value your server was started with; conversations are shortened when they approach it.",
  }),
  claude_command: key(z.string().default("claude"), {
    help: "Your Claude Code program, to ask models through your subscription. Set a path if it is not in PATH; empty never runs it.",
    expects: "empty, a name or a path",
  }),
  codex_command: key(z.string().default("codex"), {
    help: "Your Codex program, to ask models through your subscription. Set a path if it is not in PATH; empty never runs it.",
    expects: "empty, a name or a path",
  }),
  silence_seconds: key(z.int().min(5).max(3600).default(120), {
    help: "After how many seconds without output from a model a call is cancelled. Raise it for a slow local model.",
  }),
})

export const budget = table({
  min_interval_minutes: key(z.number().min(1).max(10_080).default(5), {
    help: "The minimum time between two cycles that ask a model. Raise it for fewer cycles.",
  }),
  max_interval_minutes: key(z.number().min(1).max(10_080).default(120), {
    help: "The maximum time between two cycles while any budget is left.",
  }),
  reserve: key(z.number().min(0).max(0.95).default(0.2), {
    help: "The share of your unused allowance that stays untouched, so that Reverie never makes you hit a limit. Raise it if it does.",
  }),
  when_user_active: key(z.enum(["pause", "stretch"]).default("pause"), {
    help: "What happens while you work with an agent on the same allowance: pause asks no model, stretch waits four times as long between cycles.",
  }),
  user_active_minutes: key(z.number().min(0).max(1440).default(10), {
    help: "How many minutes after your last request you count as active.",
  }),
  idle_after_hours: key(z.number().min(0.1).max(168).default(3), {
    help: "After how many hours without a request from you cycles may run more often.",
  }),
  learn_from_tools: key(z.boolean().default(true), {
    help: "Whether Reverie reads how much your own Codex, Claude Code, opencode, Gemini CLI and pi use, from the files they write on this machine: numbers only, no texts. Without it, Reverie cannot know how much of a subscription you need yourself. Turn it off if these files must not be read.",
  }),
  cycle_tokens: key(z.int().min(1000).max(100_000_000).default(300_000), {
    help: "The maximum number of tokens, input and output together, of one cycle. The cycle is stopped when it reaches it.",
  }),
})
