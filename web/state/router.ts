import { useSyncExternalStore } from "react"

/** The current address: the parts of the path, and the query. */
export interface Route {
  path: string
  parts: string[]
  query: URLSearchParams
}

const listeners = new Set<() => void>()
let route = read()

function read(): Route {
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

function update(): void {
  route = read()
  for (const listener of listeners) listener()
}

window.addEventListener("popstate", update)

/** Opens another page; `replace` adds no entry to the browser's history. */
export function go(to: string, { replace = false } = {}): void {
  if (to === window.location.pathname + window.location.search) return
  if (replace) window.history.replaceState(null, "", to)
  else window.history.pushState(null, "", to)
  update()
  if (!replace) window.scrollTo(0, 0)
}

export function useRoute(): Route {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => route,
  )
}
