import { createContext, useContext } from "react"

/** A short message at the edge of the page. */
export interface Message {
  text: string
  tone: "good" | "bad"
  /** The operation that its Undo button undoes. */
  operation?: string | undefined
}

/** Runs requests and reports their results. */
export interface Actions {
  notify(message: Message): void
  /** Runs a request that can be undone; `done` is the message on success. Returns false if it failed. */
  act(
    work: () => Promise<{ operation?: string; outcome?: string } | undefined>,
    done: string,
  ): Promise<boolean>
  /** Runs a request that cannot be undone. */
  run(work: () => Promise<unknown>, done: string): Promise<boolean>
  /** Undoes the last operation of a message. */
  undoLast(): void
}

const none: Actions = {
  notify: () => undefined,
  act: async () => false,
  run: async () => false,
  undoLast: () => undefined,
}

export const ActionContext = createContext<Actions>(none)

export function useActions(): Actions {
  return useContext(ActionContext)
}
