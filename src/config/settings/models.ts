import { z } from "zod"
import { isWebUrl, key, modelName, table, variableName } from "../key.ts"

/** The ways to a model, as settings name them. */
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
    help: "Which way to a model is taken for every job. chatgpt is your ChatGPT subscription, by Reverie's own sign-in (`reverie login chatgpt`); codex the same by your `codex` program; claude is your Claude subscription, by your `claude` program; local is a server of your own (models.local_url); openai, anthropic and openrouter are paid by use with a key (`reverie login openai`), and need models.allow_api_keys. auto takes the first of them that can be used, in this order; of two subscriptions it prefers the one you are not working with. none never asks a model: everything then runs by rules. A project may set it to none, and nothing of that project is then shown to a model.",
    tighten: "none",
  }),
  gardener: key(z.string().regex(modelName).default(""), {
    help: "The model that tends the memory and works on branches, as WAY/MODEL such as claude/opus or local/qwen3, or a model's name alone. Empty takes the strongest of the chosen provider.",
    expects: "empty, MODEL or WAY/MODEL such as openai/gpt-6.1-sol",
  }),
  judge: key(z.string().regex(modelName).default(""), {
    help: "The model that says which memories matter to a turn; it is asked often, so it should be cheap and fast. Empty takes the cheapest of the chosen provider.",
    expects: "empty, MODEL or WAY/MODEL such as local/qwen3",
  }),
  extraction: key(z.string().regex(modelName).default(""), {
    help: "The model that reads finished sessions for what is worth remembering. Empty takes the judge's.",
    expects: "empty, MODEL or WAY/MODEL such as anthropic/claude-haiku-5-5",
  }),
  chat: key(z.string().regex(modelName).default(""), {
    help: "The model that decides and speaks in chat channels. Empty takes one of middle strength.",
    expects: "empty, MODEL or WAY/MODEL such as claude/sonnet",
  }),
  allow_api_keys: key(z.boolean().default(false), {
    help: "Whether keys that cost money for every call may be used when no subscription or local server can be. Each day's spending is bounded by models.daily_usd.",
  }),
  daily_usd: key(z.number().min(0).max(10_000).default(1), {
    help: "What calls with paid keys may cost in any 24 hours, in US dollars. A call that could go beyond it is not made. 0 allows none.",
  }),
  local_url: key(z.string().refine(isWebUrl).default(""), {
    help: "Where a server of your own answers like OpenAI's /v1/chat/completions (Ollama, llama.cpp, vLLM, LM Studio): its address up to and including /v1. A server on another machine gets texts without secrets, like any provider.",
    expects:
      "empty or the address of a server without a name or password in it, such as http://127.0.0.1:11434/v1",
  }),
  local_model: key(z.string().default(""), {
    help: "The local server's model. Empty asks the server what it has and takes the first.",
    expects: "empty or the name of a model",
  }),
  local_key_env: key(z.string().regex(variableName).default(""), {
    help: "The environment variable that holds the local server's key, for one that wants a key. It is sent only over https or to this machine.",
    expects: "empty or the name of an environment variable",
  }),
  local_context: key(z.int().min(2000).max(10_000_000).default(32_768), {
    help: "How many tokens the local model can take at once. Set it to what your server was started with; conversations are shortened when they come near it.",
  }),
  claude_command: key(z.string().default("claude"), {
    help: "Your Claude Code program, for asking models through your own subscription. Give a path if it is not in PATH; empty never runs it.",
    expects: "empty, a name or a path",
  }),
  codex_command: key(z.string().default("codex"), {
    help: "Your Codex program, for asking models through your own subscription. Give a path if it is not in PATH; empty never runs it.",
    expects: "empty, a name or a path",
  }),
  silence_seconds: key(z.int().min(5).max(3600).default(120), {
    help: "After how long without a word from a model a call is given up. Raise it for a slow local model.",
  }),
})

export const budget = table({
  min_interval_minutes: key(z.number().min(1).max(10_080).default(5), {
    help: "The shortest time between two cycles that ask a model. Raise it to see less of it.",
  }),
  max_interval_minutes: key(z.number().min(1).max(10_080).default(120), {
    help: "The longest time between two cycles while there is anything left to spend.",
  }),
  reserve: key(z.number().min(0).max(0.95).default(0.2), {
    help: "Which share of what you will not need yourself stays untouched, so that you never feel a limit because of Reverie. Raise it if you do.",
  }),
  when_user_active: key(z.enum(["pause", "stretch"]).default("pause"), {
    help: "What happens while you work with an agent on the same allowance: pause asks no model, stretch waits four times as long between cycles.",
  }),
  user_active_minutes: key(z.number().min(0).max(1440).default(10), {
    help: "How long after your last request you count as working.",
  }),
  idle_after_hours: key(z.number().min(0.1).max(168).default(3), {
    help: "After how long without a request of yours cycles may come more often.",
  }),
  learn_from_tools: key(z.boolean().default(true), {
    help: "Whether what your own Codex, Claude Code, opencode, Gemini CLI and pi use is read from the files they write on this machine: numbers only, no texts. Without it Reverie cannot know how much of a subscription you need yourself. Switch it off if nothing may look there.",
  }),
  cycle_tokens: key(z.int().min(1000).max(100_000_000).default(300_000), {
    help: "How many tokens one cycle may use, in and out together. It is stopped there, in the middle of whatever it does.",
  }),
})
