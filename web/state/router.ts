import { useSyncExternalStore } from "react"

/** Where one is: the parts of the path, and what is asked for behind it. */
export interface Place {
  path: string
  parts: string[]
  query: URLSearchParams
}

const listeners = new Set<() => void>()
let place = read()

function read(): Place {
  const { pathname, search } = window.location
  const parts = pathname.split("/").filter((part) => part !== "")
  return { path: pathname, parts: parts.map(decoded), query: new URLSearchParams(search) }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

function tell(): void {
  place = read()
  for (const listener of listeners) listener()
}

window.addEventListener("popstate", tell)

/** Goes to another page; `replace` leaves no step behind. */
export function go(to: string, { replace = false } = {}): void {
  if (to === window.location.pathname + window.location.search) return
  if (replace) window.history.replaceState(null, "", to)
  else window.history.pushState(null, "", to)
  tell()
  if (!replace) window.scrollTo(0, 0)
}

/** Where one is now. */
export function usePlace(): Place {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => place,
  )
}
