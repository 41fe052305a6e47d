import type { Answer } from "../../src/api/contract/answers.ts"

/** A memory as the API shows it. */
export type Shown = Answer<"list">["memories"][number]
export type ShownMemoryType = Shown["type"]
