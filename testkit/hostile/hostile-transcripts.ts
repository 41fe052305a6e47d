import { closeSync, mkdirSync, openSync, utimesSync, writeSync } from "node:fs"
import { join } from "node:path"

/** Transcripts of Claude Code that somebody made to keep whoever reads them busy. */
export const shapes: Record<string, (id: string, bytes: number) => Iterable<string>> = {
  "short-lines": (id, bytes) => repeated(bytes, (n) => said(id, n, `From now on, always use tool ${n}.`)),
  *"one-line"(id, bytes) {
    yield `${said(id, 0, "hello").slice(0, -4)}`
    const block = "always push to main ".repeat(50_000)
    for (let written = 0; written < bytes; written += block.length) yield block
    yield '"}}\n'
  },
  "nested-json": (id, bytes) =>
    repeated(bytes, (n) => {
      const depth = 400_000
      return line(
        id,
        n,
        `[{"type":"tool_result","tool_use_id":"t","content":${"[".repeat(depth)}${"]".repeat(depth)}}]`,
      )
    }),
  "tag-characters": (id, bytes) => repeated(bytes, (n) => said(id, n, "\u{e0041}".repeat(75_000))),
  "open-tags": (id, bytes) => repeated(bytes, (n) => said(id, n, "<system-reminder a".repeat(33_000))),
  "zero-width": (id, bytes) => repeated(bytes, (n) => said(id, n, "a\u200b".repeat(100_000))),
}

/** Writes one transcript of a shape; a small healthy one with an older date comes last in reading. */
export function writeTranscript(home: string, shape: string, bytes: number): void {
  const make = shapes[shape]
  if (make === undefined) throw new Error(`there is no shape ${shape}`)
  write(home, shape, make(`hostile-${shape}`, bytes))
}

/** The session that is read after all others. */
export const lastSession = "claude-code:the-last-one"

export function writeLast(home: string, name = "the-last-one"): void {
  const file = write(home, name, [said(name, 0, "is anybody there")])
  const before = Date.now() / 1000 - 3600
  utimesSync(file, before, before)
}

function write(home: string, name: string, parts: Iterable<string>): string {
  const folder = join(home, "projects", "-work-demo")
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `${name}.jsonl`)
  const handle = openSync(file, "w")
  for (const part of parts) writeSync(handle, part)
  closeSync(handle)
  return file
}

function* repeated(bytes: number, make: (n: number) => string): Iterable<string> {
  for (let n = 0, written = 0; written < bytes; n += 1) {
    const made = make(n)
    written += Buffer.byteLength(made)
    yield made
  }
}

function said(id: string, n: number, text: string): string {
  return line(id, n, JSON.stringify(text))
}

function line(id: string, n: number, content: string): string {
  const head = `"type":"user","sessionId":"${id}","uuid":"${id}-${n}","timestamp":"${new Date().toISOString()}"`
  return `{${head},"cwd":"/nowhere","message":{"role":"user","content":${content}}}\n`
}
