import { z } from "zod"
import { key, table } from "../key.ts"

/** What may be done about something found in a text, the loosest first. */
export const privacyActions = ["keep", "redact", "refuse"] as const

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

export const memory = table({
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
})

export const sessions = table({
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
})

export const recall = table({
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
})

export const extraction = table({
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
})

export const judgement = table({
  enabled: key(z.boolean().default(true), {
    help: "Whether the small trained model that comes with the program is asked where rules know nothing: whether a new memory updates or repeats an older one, and which sentences of yours teach something. It runs on this machine and only proposes. Switch it off to have rules alone, or to save its memory and time.",
  }),
})

export const privacy = table({
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
})
