import { expect } from "vitest"
import type { Ended, Installation } from "../program/program.ts"

/** One sentence on stderr, nothing on stdout, this exit code. */
export function expectSentence(ended: Ended, code: number, sentence: RegExp): void {
  expect(ended.stderr).toMatch(sentence)
  expect(ended.stderr.trimEnd().split("\n")).toHaveLength(1)
  expect(ended).toMatchObject({ code, stdout: "" })
}

/** Adds a memory by the command line and gives its id. */
export async function add({ json }: Installation, ...args: string[]): Promise<string> {
  return (await json<{ id: string }>("memory", "add", ...args)).id
}

/** What `memory list` shows. */
export async function contents({ json }: Installation, ...args: string[]): Promise<string[]> {
  const { memories } = await json<{ memories: { content: string }[] }>("memory", "list", ...args)
  return memories.map(({ content }) => content)
}
