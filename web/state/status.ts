import { useEffect } from "react"
import { client } from "./client.ts"
import { useData } from "./use-data.ts"

/** How soon the status is asked for again while the daemon has not decided when it wakes. */
const undecidedMs = 1000

/** The daemon's status. */
export function useStatus() {
  const status = useData("status", () => client.status(), [
    "memory.",
    "cycle.",
    "permission.",
    "ambient.",
    "queue.",
  ])
  const { data, reload } = status
  // After a pause, a cycle or a start, the scheduler decides a moment later, and no journal entry tells of it.
  useEffect(() => {
    if (data?.status !== "scheduled" || data.nextWake !== null) return undefined
    const timer = setTimeout(reload, undecidedMs)
    return () => clearTimeout(timer)
  }, [data, reload])
  return status
}
