import { useSyncExternalStore } from "react"

/** The system's own, or what the person chose. */
export type Theme = "system" | "dark" | "light"

const name = "reverie theme"
const listeners = new Set<() => void>()

function chosen(): Theme {
  const held = localStorage.getItem(name)
  return held === "dark" || held === "light" ? held : "system"
}

/** Shows the page as it was chosen. */
function applyTheme(theme: Theme = chosen()): void {
  const system = window.matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark"
  document.documentElement.dataset.theme = theme === "system" ? system : theme
  for (const listener of listeners) listener()
}

/** Chooses, and remembers it in this browser. */
export function chooseTheme(theme: Theme): void {
  if (theme === "system") localStorage.removeItem(name)
  else localStorage.setItem(name, theme)
  applyTheme(theme)
}

/** Follows the system while nothing was chosen. */
export function startTheme(): void {
  applyTheme()
  window.matchMedia("(prefers-color-scheme: light)").addEventListener("change", () => applyTheme())
}

/** How the page looks now: dark or light. */
export function useTheme(): string {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => document.documentElement.dataset.theme ?? "dark",
  )
}
