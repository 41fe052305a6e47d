import { createContext, useContext } from "react"

/** What is told at the edge of the page for a while. */
export interface Told {
  text: string
  tone: "good" | "bad"
  /** The operation that can be taken back. */
  operation?: string | undefined
}

/** Does something, and tells what came of it, with a way to take it back. */
export interface Acts {
  tell(told: Told): void
  /** Runs an act; `done` says what was done. False where it failed, which is told. */
  act(
    work: () => Promise<{ operation?: string; outcome?: string } | undefined>,
    done: string,
  ): Promise<boolean>
  /** Takes back the last thing that was told with an operation. */
  undoLast(): void
}

const nothing: Acts = { tell: () => undefined, act: async () => false, undoLast: () => undefined }

export const ActContext = createContext<Acts>(nothing)

/** How a page acts. */
export function useActs(): Acts {
  return useContext(ActContext)
}
