import type { CallName } from "./calls.ts"
import type { ChatAnswers } from "./chat-answers.ts"
import type { MemoryAnswers } from "./memory-answers.ts"
import type { ProgramAnswers } from "./program-answers.ts"
import type { SessionAnswers } from "./session-answers.ts"
import type { TendingAnswers } from "./tending-answers.ts"

/** What each call is answered with. */
export interface Answers extends MemoryAnswers, SessionAnswers, TendingAnswers, ChatAnswers, ProgramAnswers {}

/** The answer to a call as it travels, with the version of its form. */
export type Answer<Name extends CallName> = { schemaVersion: number } & Answers[Name]
