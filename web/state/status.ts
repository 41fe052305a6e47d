import { client } from "./client.ts"
import { useData } from "./use-data.ts"

/** The daemon's status. */
export function useStatus() {
  return useData("status", () => client.status(), ["memory.", "cycle.", "permission.", "ambient.", "queue."])
}
