import { useSyncExternalStore } from "react"

/** The system's theme, or the user's choice. */
export type Theme = "system" | "dark" | "light"

const name = "reverie theme"
const listeners = new Set<() => void>()

function chosen(): Theme {
  const stored = localStorage.getItem(name)
  return stored === "dark" || stored === "light" ? stored : "system"
}

function applyTheme(theme: Theme = chosen()): void {
  const system = window.matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark"
  document.documentElement.dataset.theme = theme === "system" ? system : theme
  for (const listener of listeners) listener()
}

/** Sets the theme and stores it in this browser. */
export function chooseTheme(theme: Theme): void {
  if (theme === "system") localStorage.removeItem(name)
  else localStorage.setItem(name, theme)
  applyTheme(theme)
}

/** Applies the theme, and follows the system's unless the user chose one. */
export function startTheme(): void {
  applyTheme()
  window.matchMedia("(prefers-color-scheme: light)").addEventListener("change", () => applyTheme())
}

/** The theme in use: dark or light. */
export function useTheme(): string {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => document.documentElement.dataset.theme ?? "dark",
  )
}
