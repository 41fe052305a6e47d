import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"
import type { SessionSource } from "../../src/coding/sessions/session-source.ts"
import { claudeCodeSource } from "../../src/coding/sources/claude-code.ts"
import { codexSource } from "../../src/coding/sources/codex.ts"
import { geminiSource } from "../../src/coding/sources/gemini-cli.ts"
import { jcodeSource } from "../../src/coding/sources/jcode.ts"
import { opencodeSource } from "../../src/coding/sources/opencode.ts"
import { piSource } from "../../src/coding/sources/pi.ts"

const fixtures = fileURLToPath(new URL("../../test/fixtures/sessions/", import.meta.url))
const plain = (text: string) => text
const demo: Said[] = [
  ["user", "run the demo command please"],
  ["tool", "hello-from-tool\nREADME.md"],
  ["assistant", "Done. I ran the command and it printed hello-from-tool."],
]
const [, , done] = demo as [Said, Said, Said]
const tides = "/home/ada/src/tides"

type Said = [role: string, text: string]

/** A coding agent with the files it wrote, and what was said according to them. */
export interface SampleTool {
  name: string
  /** Puts the tool's files below a folder. */
  write(home: string): void
  open(home: string): SessionSource
  sessions: { id: string; folder: string; phase: string; said: Said[] }[]
  /** A file that grows line by line, below the folder. */
  growing?: string
}

const copy = (from: string) => (home: string) => cpSync(join(fixtures, from), home, { recursive: true })
const project = "projects/-home-ada-src-tides"

export const sampleTools: SampleTool[] = [
  {
    name: "Claude Code",
    write: copy("claude-code"),
    open: (home) => claudeCodeSource(home, plain),
    growing: `${project}/0b9c1d2e-0000-4000-8000-000000000001.jsonl`,
    sessions: [
      {
        id: "0b9c1d2e-0000-4000-8000-000000000001",
        folder: tides,
        phase: "waiting",
        said: [
          ["user", "Write the tide table as CSV"],
          ["assistant", "I will write it."],
          ["tool", "written"],
          ["user", "Thanks, and never use tabs"],
          ["assistant", "Noted: spaces only."],
        ],
      },
      { id: "19882d02-a3f9-45e6-aeea-a8bbe0eb09d5", folder: tides, phase: "waiting", said: demo },
      {
        id: "7fb6e147-7e21-4817-843a-deb3cee48870",
        folder: tides,
        phase: "working",
        said: [["user", expect("long job")]],
      },
      {
        id: "f456ffe0-940f-49dc-8013-ffd5ca69624e",
        folder: tides,
        phase: "waiting",
        said: [
          ["user", expect("No, always use pnpm")],
          ["tool", "e72a61b init"],
          ["tool", expect("[Subagent hand-back]")],
          ["tool", expect("File created")],
          done,
          ["user", "thanks that is all [[no-tool]]"],
          done,
        ],
      },
    ],
  },
  {
    name: "Codex",
    write: copy("codex"),
    open: (home) => codexSource(home, plain),
    growing: "sessions/2026/11/15/rollout-2026-11-15T06-19-46-01a1dddc-a1c7-70d0-994b-4b8b2ca8bf1c.jsonl",
    sessions: [
      { id: "01a1ddd9-ce75-7401-a37e-03cbe8e1d280", folder: tides, phase: "waiting", said: demo },
      {
        id: "01a1dddc-a1c7-70d0-994b-4b8b2ca8bf1c",
        folder: tides,
        phase: "waiting",
        said: [
          ["user", expect("No, always use pnpm")],
          ["tool", "534af7e init"],
          ["tool", "# demo"],
          done,
          ["user", "thanks, that is all [[no-tool]]"],
          done,
        ],
      },
      {
        id: "01a1dddc-ac66-7f31-9799-2d784f0d1739",
        folder: tides,
        phase: "working",
        said: [["user", expect("long job")]],
      },
    ],
  },
  {
    name: "opencode",
    write: (home) => writeOpencode(home),
    open: (home) => opencodeSource(home, plain),
    sessions: [opencodeDemo()],
  },
  {
    name: "opencode before 1.2",
    write: (home) => writeOldOpencode(home),
    open: (home) => opencodeSource(home, plain),
    sessions: [opencodeDemo()],
  },
  {
    name: "Gemini CLI",
    write: copy("gemini-cli/.gemini"),
    open: (home) => geminiSource(home, plain),
    growing: "tmp/proj/chats/session-2026-11-15T06-17-2c39f0d1.jsonl",
    sessions: [{ id: "2c39f0d1-2b29-4e68-abe4-42a7b4cc05af", folder: tides, phase: "waiting", said: demo }],
  },
  {
    name: "Gemini CLI with whole files",
    write: (home) => writeOldGemini(home),
    open: (home) => geminiSource(home, plain),
    sessions: [{ id: "2c39f0d1-2b29-4e68-abe4-42a7b4cc05af", folder: tides, phase: "waiting", said: demo }],
  },
  {
    name: "pi",
    write: copy("pi"),
    open: (home) => piSource(home, plain),
    growing:
      "sessions/--home-ada-src-tides--/2026-11-15T06-18-17-098Z_01a1dddb-4489-7d79-8f3e-963e9b6c2af1.jsonl",
    sessions: [{ id: "01a1dddb-4489-7d79-8f3e-963e9b6c2af1", folder: tides, phase: "waiting", said: demo }],
  },
  {
    name: "jcode",
    write: copy("jcode"),
    open: (home) => jcodeSource(home, plain),
    sessions: [
      {
        id: "session_fox_1770561022000",
        folder: "/home/u/proj",
        phase: "crashed",
        said: [
          ["user", "No, always use pnpm, never npm in this repo."],
          ["tool", "9.1.0"],
          ["assistant", "Understood: pnpm only."],
        ],
      },
    ],
  },
]

/** Stands for a longer text that begins so. */
function expect(beginning: string): string {
  return `${beginning}…`
}

function opencodeDemo(): SampleTool["sessions"][number] {
  return {
    id: "ses_e22255d34ffea3i8Kr7rYoF8aH",
    folder: tides,
    phase: "waiting",
    said: [
      ["user", '"run the demo command please"'],
      ["tool", "hello-from-tool\nREADME.md\nopencode.json"],
      done,
    ],
  }
}

type Row = Record<string, string | number | null> & { id: string; data: Record<string, unknown> }

/** The rows that opencode had written. */
export function opencodeRows(): { session: Row[]; message: Row[]; part: Row[] } {
  return JSON.parse(readFileSync(join(fixtures, "opencode/rows.json"), "utf8"))
}

/** Opens a database like opencode's, to write to it as opencode does. */
export function openOpencodeDatabase(home: string): DatabaseSync {
  mkdirSync(home, { recursive: true })
  const db = new DatabaseSync(join(home, "opencode.db"))
  db.exec(`pragma journal_mode = wal;
    create table if not exists session (id text primary key, parent_id text, directory text not null,
      title text not null, time_created integer not null, time_updated integer not null);
    create table if not exists message (id text primary key, session_id text not null, time_created integer not null,
      time_updated integer not null, data text not null);
    create table if not exists part (id text primary key, message_id text not null, session_id text not null,
      time_created integer not null, time_updated integer not null, data text not null);`)
  return db
}

/** Puts a row in, or in place of the one of its id. */
export function putRow(db: DatabaseSync, table: string, row: Record<string, unknown>): void {
  const names = Object.keys(row)
  const values = Object.values(row).map((value) =>
    typeof value === "object" && value !== null ? JSON.stringify(value) : (value as string | number | null),
  )
  db.prepare(
    `insert or replace into ${table} (${names.join(", ")}) values (${names.map(() => "?").join(", ")})`,
  ).run(...values)
}

function writeOpencode(home: string): void {
  const db = openOpencodeDatabase(home)
  for (const [table, rows] of Object.entries(opencodeRows())) for (const row of rows) putRow(db, table, row)
  db.close()
}

function writeOldOpencode(home: string): void {
  const { session, message, part } = opencodeRows()
  const put = (folder: string, id: string, value: object) => {
    mkdirSync(join(home, "storage", folder), { recursive: true })
    writeFileSync(join(home, "storage", folder, `${id}.json`), JSON.stringify(value))
  }
  for (const { id, parent_id, directory, title, time_created } of session)
    put("session/project", id, { id, parentID: parent_id, directory, title, time: { created: time_created } })
  for (const { id, session_id, data } of message) put(`message/${session_id}`, id, data)
  for (const { id, message_id, data } of part) put(`part/${message_id}`, id, data)
}

function writeOldGemini(home: string): void {
  copy("gemini-cli/.gemini")(home)
  const file = join(home, "tmp/proj/chats/session-2026-11-15T06-17-2c39f0d1.jsonl")
  const lines = readFileSync(file, "utf8").trimEnd().split("\n")
  const [head, ...rest] = lines.map((line): Record<string, unknown> => JSON.parse(line))
  const byId = new Map(rest.filter(({ id }) => id !== undefined).map((one) => [one.id, one]))
  cpSync(file, `${file}.kept`)
  writeFileSync(file.replace(/l$/, ""), JSON.stringify({ ...head, messages: [...byId.values()] }))
  writeFileSync(file, "")
}
