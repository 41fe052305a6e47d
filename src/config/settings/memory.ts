import { z } from "zod"
import { key, table } from "../key.ts"

/** What to do with personal data, the least strict first. */
export const privacyActions = ["keep", "redact", "refuse"] as const

/** The tools whose sessions can be read from the files they write. */
export const readableTools = ["claude-code", "codex", "opencode", "gemini-cli", "pi", "jcode"] as const

/** Plain text, or a regular expression between slashes. */
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
    help: "The main switch. When false, nothing is remembered or imported and no search returns anything; stored memories stay and can be listed. In a project's file it applies to everything said in its folder and to all memories of that project.",
    tighten: "off",
  }),
  longest_text: key(z.int().min(100).max(1_000_000).default(20_000), {
    help: "The maximum length of one memory, in characters. A longer text that is added or imported is split into at most 50 parts, which are found one by one and forgotten together; an edit to a longer text is refused. A project lowers it to keep its memories short.",
    tighten: "lower",
  }),
  organise_every_minutes: key(z.number().min(0).max(10_080).default(30), {
    help: "The minimum time between two runs in which the daemon finds clusters and infers tags, in each project where enough has changed. A run takes seconds of one core for a few thousand memories. Raise it on a slow machine; 0 leaves it to `reverie memory clusters --refresh`.",
  }),
  losses_per_session: key(z.int().min(0).max(1_000_000).default(20), {
    help: "How many memories an agent may hide, replace or rate down to nothing in one session over MCP. All agents together may do so twice as often in one hour. No agent can hide what you said yourself. Lower it where agents read much text written by others; `reverie undo SESSION` undoes everything that one session did.",
  }),
  capacity: key(z.int().min(0).max(10_000_000).default(50_000), {
    help: "The maximum number of active memories. Beyond it, the garden archives memories with a confidence below 0.1, the lowest first; others are never archived for this reason. 0 means no limit.",
  }),
})

export const sessions = table({
  enabled: key(z.boolean().default(true), {
    help: "Whether Reverie reads your sessions with coding agents from the files they write on this machine, to remember what was said there. Turn it off if these files must not be read; sessions that are already stored stay. When it is turned on again, sessions since then are read too, as far back as keep_days. In a project's file it excludes that project's sessions permanently.",
    tighten: "off",
  }),
  tools: key(
    z
      .array(z.enum(readableTools))
      .max(20)
      .default([...readableTools]),
    {
      help: "The tools whose sessions are read. Remove a tool to leave its sessions unread.",
      expects: `a list of ${readableTools.join(", ")}`,
    },
  ),
  keep_days: key(z.int().min(0).max(3650).default(90), {
    help: "How many days the text of sessions is kept, without secrets. Memories are extracted from it and verified against it. 0 stores only that there was a session, when and where, so nothing can be learned from it later. Lower it where such texts must not be stored for long.",
    tighten: "lower",
  }),
})

export const recall = table({
  enabled: key(z.boolean().default(true), {
    help: "Whether memories are added to your agents' sessions automatically. When false, they are still remembered and can be searched. A project turns it off for the sessions in its folder.",
    tighten: "off",
  }),
  max_tokens: key(z.int().min(50).max(10_000).default(700), {
    help: "The maximum number of tokens that are added to an agent's context at once. Lower it for models with a small context window.",
    tighten: "lower",
  }),
  max_memories: key(z.int().min(1).max(50).default(5), {
    help: "The maximum number of memories that are added at once. Lower it if they distract your agent.",
    tighten: "lower",
  }),
  wait_ms: key(z.int().min(0).max(2000).default(150), {
    help: "How many milliseconds a prompt may wait for its memories. A search usually takes about 20. After that the prompt continues without them, and they are added to the next prompt they still fit. 0 never waits: every prompt then gets what was found for the one before.",
  }),
  hold_tool_calls: key(z.boolean().default(true), {
    help: "Whether a tool call that matches one of your prohibitions (such as println! where you said never to use it) is blocked once, and the agent shown the prohibition, before the call runs. The agent may repeat the call. When false, the agent is shown the prohibition after the call.",
  }),
  tell_learned: key(z.boolean().default(true), {
    help: "Whether the start of a session reports in one line, once, what was learned from earlier sessions in the same project. When false, it is only listed by `reverie sessions` and counted by `reverie status`.",
  }),
  look_again_tokens: key(z.int().min(0).max(1_000_000).default(1500), {
    help: "While an agent works on one prompt, memory is searched again after it has written this many tokens, and when a tool fails, when the agent turns to another kind of file, or when it weighs a design. 0 searches at prompts only.",
  }),
  reset_turns: key(z.int().min(1).max(10_000).default(50), {
    help: "After how many prompts a memory may be shown again in the same session. It may be shown earlier when the subject changes.",
  }),
  judge: key(z.boolean().default(true), {
    help: "Whether a model, if one is available (see models.judge), decides which memories matter. When false, the local gate decides alone, and nothing is sent or spent.",
    tighten: "off",
  }),
  judge_every_turns: key(z.int().min(1).max(1000).default(3), {
    help: "The minimum number of prompts between two questions to a model in one session, except when the subject changes. In between, the local gate decides. Raise it to spend less.",
  }),
})

export const extraction = table({
  enabled: key(z.boolean().default(true), {
    help: "Whether Reverie learns memories from your sessions. Turn it off to remember only what is added by hand or by an agent. A project turns it off for itself.",
    tighten: "off",
  }),
  use_model: key(z.boolean().default(true), {
    help: "Whether a model reads sessions too, if one is available. Rules alone find only explicit statements and send nothing anywhere. A project turns it off to keep its sessions away from models.",
    tighten: "off",
  }),
  every_turns: key(z.int().min(0).max(1000).default(12), {
    help: "After how many of your messages an ongoing session is read. Lower it to remember things sooner; each reading may cost a model call. 0 waits for the end of the session.",
  }),
  idle_minutes: key(z.number().min(1).max(10_080).default(30), {
    help: "After how many minutes without a new message the rest of an open session is read as if it had ended. Raise it if you often leave sessions and come back.",
  }),
  look_back_days: key(z.number().min(0).max(3650).default(14), {
    help: "The maximum age, in days, of a session that is read automatically, such as after installing. Raise it to learn from your history; `reverie extract SESSION` reads any session.",
  }),
  most_memories: key(z.int().min(1).max(30).default(12), {
    help: "The maximum number of memories from one reading. Lower it if too much is remembered from long sessions.",
    tighten: "lower",
  }),
})

export const judgement = table({
  enabled: key(z.boolean().default(true), {
    help: "Whether the small trained model that is part of Reverie is used where rules give no answer: whether a new memory updates or repeats an older one, and which of your sentences are worth remembering. It runs on this machine and only makes proposals. Turn it off to use rules alone, or to save its memory and time.",
  }),
})

export const privacy = table({
  secrets: key(z.enum(["redact", "refuse"]).default("redact"), {
    help: "What to do with a text that contains a password, key or token. `redact` removes the secret and remembers the rest; `refuse` remembers nothing of the text. There is no setting that stores secrets. A project that handles credentials sets refuse.",
    tighten: "stricter",
  }),
  personal_data: key(z.enum(privacyActions).default("redact"), {
    help: "What to do with e-mail addresses, telephone numbers, payment cards, bank accounts and identity numbers. `redact` removes them and remembers the rest, except your own address from git's configuration. `keep` remembers contacts. `refuse` remembers nothing of such a text.",
    tighten: "stricter",
  }),
  allow: key(z.array(z.string().max(1000).refine(isAllowEntry)).max(1000).default([]), {
    help: "Texts that are not secrets or personal data although they look like it: plain texts, and regular expressions between slashes, which must match the whole finding. Add an entry when something harmless is removed.",
    expects: 'a list of texts or regular expressions, such as ["support@acme.dev", "/test_[a-z0-9]+/"]',
  }),
})
