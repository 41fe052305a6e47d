import { useLayoutEffect, useRef } from "react"

/** Handlers by key. Keys are named as in `KeyboardEvent.key`; "Mod+k" is Ctrl or ⌘ with k. */
export type Keys = Record<string, (event: KeyboardEvent) => void>

/** Handles keys anywhere on the page except in input fields. They work as soon as the page shows what they act on. */
export function useKeys(keys: Keys, isOn = true): void {
  const latest = useRef(keys)
  latest.current = keys
  useLayoutEffect(() => {
    if (!isOn) return undefined
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented) return
      const isMod = event.ctrlKey || event.metaKey
      const name = isMod ? `Mod+${event.key.toLowerCase()}` : event.key
      const act = latest.current[name]
      if (act === undefined || event.altKey || (!isMod && isTyping(event.target))) return
      event.preventDefault()
      act(event)
    }
    window.addEventListener("keydown", onKey)
    return () => window.removeEventListener("keydown", onKey)
  }, [isOn])
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (document.querySelector("dialog[open]") !== null) return true
  return target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName)
}

/** Escape leaves an empty search field, so that single keys act again. In a full one, the browser empties it. */
export function useSearchEscape(): void {
  useLayoutEffect(() => {
    const onKey = ({ key, target, isComposing }: KeyboardEvent) => {
      if (key !== "Escape" || isComposing || document.querySelector("dialog[open]") !== null) return
      if (target instanceof HTMLInputElement && target.type === "search" && target.value === "") target.blur()
    }
    window.addEventListener("keydown", onKey)
    return () => window.removeEventListener("keydown", onKey)
  }, [])
}

/** The maximum time between the two keys of a sequence. */
const sequenceMs = 1200

/** Handles sequences of two keys, such as g and i, before single keys. */
export function useSequences(first: string, seconds: Record<string, () => void>): void {
  const latest = useRef(seconds)
  latest.current = seconds
  useLayoutEffect(() => {
    let firstAt = Number.NEGATIVE_INFINITY
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      const isSecond = event.timeStamp - firstAt < sequenceMs
      const act = isSecond ? latest.current[event.key] : undefined
      firstAt = !isSecond && event.key === first ? event.timeStamp : Number.NEGATIVE_INFINITY
      if (act === undefined && event.key !== first) return
      event.preventDefault()
      event.stopImmediatePropagation()
      act?.()
    }
    window.addEventListener("keydown", onKey, { capture: true })
    return () => window.removeEventListener("keydown", onKey, { capture: true })
  }, [first])
}

/** Moves the focus along the rows of a page. */
export function moveRow(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>("[data-row]")]
  if (rows.length === 0) return
  const at = rows.findIndex((row) => row === document.activeElement || row.contains(document.activeElement))
  const next =
    at === -1 ? (step === 1 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + step))
  rows[next]?.focus()
  rows[next]?.scrollIntoView({ block: "nearest" })
}
