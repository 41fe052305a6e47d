import type { CallName } from "./calls.ts"
import type { ChatAnswers } from "./chat-answers.ts"
import type { MemoryAnswers } from "./memory-answers.ts"
import type { ProgramAnswers } from "./program-answers.ts"
import type { SessionAnswers } from "./session-answers.ts"
import type { TendingAnswers } from "./tending-answers.ts"

/** The answer of each call. */
export interface Answers extends MemoryAnswers, SessionAnswers, TendingAnswers, ChatAnswers, ProgramAnswers {}

/** The answer of a call with its schema version. */
export type Answer<Name extends CallName> = { schemaVersion: number } & Answers[Name]
