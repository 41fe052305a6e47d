import type { ListAnswer } from "../../src/api/contract.ts"

/** A memory as the API shows it. */
export type Shown = ListAnswer["memories"][number]
export type ShownMemoryType = Shown["type"]
