import { execFileSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { throwawayFolder } from "../../testkit/program/home.ts"

/** Two conversations, two haystacks and a few sessions in the forms of LoCoMo, LongMemEval and MemAware. */
export function madeUpData(): string {
  const folder = throwawayFolder()
  for (const set of ["locomo", "longmemeval", "memaware"]) mkdirSync(join(folder, set))
  writeFileSync(join(folder, "locomo", "part-b.json"), JSON.stringify([bakers]))
  writeFileSync(join(folder, "locomo", "part-a.json"), JSON.stringify([sailors, bakers]))
  const lines = haystacks.map((haystack) => `${JSON.stringify(haystack)}\n`)
  writeFileSync(join(folder, "longmemeval", "some.jsonl.gz"), gzipSync(lines[0] ?? ""))
  writeFileSync(join(folder, "longmemeval", "more.jsonl"), lines.slice(1).join("\n"))
  writeFileSync(join(folder, "memaware", "questions-held.json"), JSON.stringify(implicit))
  mkdirSync(join(folder, "sessions"))
  writeFileSync(join(folder, "sessions", "2023-04-01.md"), day)
  writeFileSync(join(folder, "sessions", "._2023-04-01.md"), "left behind by another system")
  execFileSync("tar", ["-czf", join(folder, "memaware", "sessions.tar.gz"), "-C", folder, "sessions"])
  return folder
}

const sailors = {
  sample_id: "conv-1",
  conversation: {
    speaker_a: "Ann",
    speaker_b: "Bo",
    session_1_date_time: "12:05 am on 8 May, 2023",
    session_1: [
      { speaker: "Ann", dia_id: "D1:1", text: "My boat is called Petrel." },
      { speaker: "Bo", dia_id: "D1:2", text: "Mine leaks.", blip_caption: "a wet deck" },
    ],
    session_2_date_time: "1:56 pm on 9 May, 2023",
    session_2: [{ speaker: "Bo", dia_id: "D2:1", text: "I caulked the seams yesterday." }],
    session_3_date_time: "2:00 pm on 10 May, 2023",
  },
  qa: [
    { question: "What is Ann's boat called?", answer: "Petrel", category: 4, evidence: ["D1:1"] },
    { question: "What did Bo do about the leak?", category: 1, evidence: ["D1:02; D2:1", "D", "D9:9"] },
    { question: "What would Bo like?", category: 3, evidence: [] },
    { question: "What is Bo's boat called?", category: 5, evidence: ["D1:1"] },
  ],
}

const bakers = {
  sample_id: "conv-2",
  conversation: {
    speaker_a: "Cleo",
    speaker_b: "Dan",
    session_1_date_time: "9:15 am on 1 June, 2023",
    session_1: [
      { speaker: "Cleo", dia_id: "D1:1", text: "Rye needs a long rest." },
      { speaker: "Dan", dia_id: "D1:2", text: "My oven is from 1950." },
    ],
  },
  qa: [{ question: "How old is Dan's oven, Cleo?", answer: 1950, category: 2, evidence: ["D1:2"] }],
}

const talk = (words: string) => [
  { role: "user", content: `Tell me about ${words}.` },
  { role: "assistant", content: `Gladly: ${words}.`, has_answer: true },
]

const haystacks = [
  {
    question_id: "q1",
    question_type: "multi-session",
    question: "Which kites and which drums do I own?",
    question_date: "2023/06/23 (Fri) 07:31",
    answer: "both",
    answer_session_ids: ["kites", "drums"],
    haystack_dates: ["2023/04/30 (Sun) 13:59", "2023/05/01 (Mon) 08:00", "2023/05/01 (Mon) 08:00"],
    haystack_session_ids: ["kites", "drums", "kites"],
    haystack_sessions: [talk("kites"), talk("drums"), talk("kites")],
  },
  {
    question_id: "q2_abs",
    question_type: "single-session-user",
    question: "Which harp do I own?",
    question_date: "2023/06/24 (Sat) 10:00",
    answer: "none",
    answer_session_ids: ["flutes"],
    haystack_dates: ["2023/04/30 (Sun) 13:59"],
    haystack_session_ids: ["flutes"],
    haystack_sessions: [talk("flutes")],
  },
]

const implicit = [
  { question: "Plan my trip with the tent.", difficulty: "easy", answer_session_ids: ["s_1"] },
  { question: "What should I cook?", difficulty: "hard", answer_session_ids: ["s_2", "s_3"] },
]

const day = `# 2023-04-01

## Session s_1
Session Date: 2023-04-01

User: I bought a tent.
Assistant: Good.

1. Air it.
User: I will.

## Session s_2
Session Date: 2023-04-02

User: Nuts make me ill.
Assistant: Noted.
`
