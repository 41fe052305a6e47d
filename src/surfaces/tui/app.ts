import { Box, type Key, Text, useApp, useInput, usePaste, useWindowSize } from "ink"
import { createElement, type ReactNode, useCallback, useEffect, useRef, useState } from "react"
import type { Client } from "../../api/client.ts"
import { messageOf } from "../../base/errors.ts"
import { chosenRow, drawScreen, type Screen } from "./layout.ts"
import type { TuiNeeds } from "./needs.ts"
import { type Page, pages } from "./pages.ts"

/** How often the screen reloads. */
const reloadMs = 1500
/** How long to wait after a typed letter before searching. */
const typingMs = 150

const [firstPage = pages[0] as Page] = pages

/** The terminal program: pages with a list and a preview, the status box, the keys. */
export function App({ needs }: { needs: TuiNeeds }): ReactNode {
  const { exit } = useApp()
  const { columns, rows: lines } = useWindowSize()
  const [screen, setScreen] = useState<Screen>({
    page: firstPage,
    rows: [],
    selected: 0,
    isGone: false,
    scrolled: 0,
    query: "",
    isTyping: false,
    isLoading: true,
    status: undefined,
    said: "",
    isHelp: false,
  })
  // Several keys may come before the next drawing; each must see what those before it changed.
  const latest = useRef(screen)
  const change = useCallback((part: Partial<Screen>) => {
    latest.current = after(latest.current, part)
    setScreen(latest.current)
  }, [])
  const { page, query } = screen
  const refresh = useRefresh(needs, { page, query }, change)

  const act = async (work: (client: Client) => Promise<string>) => {
    try {
      change({ said: await needs.api.use(work) })
    } catch (error) {
      change({ said: messageOf(error) })
    }
    refresh()
  }
  const go = (to: Page, search: string | undefined) => {
    const typing = search === undefined ? { isTyping: false } : { isTyping: true, query: search }
    change({
      ...{ page: to, rows: [], selected: 0, scrolled: 0, said: "", isLoading: true, isHelp: false },
      ...typing,
    })
  }
  const actOn = (input: string) => {
    const own = chosenRow(latest.current)?.keys.find((one) => one.key === input)
    if (own !== undefined) void act((client) => own.act(client, needs))
  }
  const press: Press = (input, key) => {
    const part = changeOf(latest.current, input, key)
    if (part !== undefined) return change(part)
    if (input === "q") {
      exit()
      return "quit"
    }
    if (input === "r") return refresh()
    const to = pageFor(latest.current.page, input, key)
    if (to !== undefined) return go(to, input === "/" ? "" : undefined)
    // The help hides the row that the keys would act on.
    if (!latest.current.isHelp) actOn(input)
  }
  useInput((input, key) => pressEach(input, key, { isTyping: () => latest.current.isTyping, press }))
  // Text that is pasted is no keys.
  usePaste((text) => {
    if (latest.current.isTyping) change(typedText(latest.current, text))
  })
  const drawn = drawScreen(needs, screen, { columns, lines: lines - 1 })
  return createElement(
    Box,
    { flexDirection: "column" },
    ...drawn.map((line, index) =>
      createElement(Text, { key: index, wrap: "truncate" }, line === "" ? " " : line),
    ),
  )
}

/** Reloads the status and the page regularly; returns a function that reloads at once. */
function useRefresh(
  needs: TuiNeeds,
  { page, query }: Pick<Screen, "page" | "query">,
  change: (part: Partial<Screen>) => void,
): () => void {
  const asked = useRef(() => {})
  useEffect(() => {
    let isOver = false
    let cancel = () => {}
    const load = async () => {
      try {
        const status = await needs.api.use((client) => client.status())
        const rows = await needs.api.use((client) => page.load(client, needs, query))
        if (!isOver) change({ status, rows, isLoading: false })
      } catch (error) {
        if (!isOver) change({ said: messageOf(error) })
      }
      if (!isOver) cancel = needs.clock.after(reloadMs, () => void load())
    }
    const soon = (ms: number) => {
      cancel()
      cancel = needs.clock.after(ms, () => void load())
    }
    asked.current = () => soon(0)
    soon(query === "" ? 0 : typingMs)
    return () => {
      isOver = true
      cancel()
    }
  }, [needs, page, query, change])
  return () => asked.current()
}

/** Applies a change to the screen. The same row stays selected if others appear before it. */
function after(before: Screen, part: Partial<Screen>): Screen {
  const screen = { ...before, ...part, ...(part.selected === undefined ? {} : { isGone: false }) }
  if (part.rows === undefined || part.selected !== undefined) return screen
  // The list of another page or search starts at its top.
  if (before.isLoading) return { ...screen, selected: 0, isGone: false }
  const chosen = chosenRow(before)
  // An untouched first row without keys: the newest row stays in view instead.
  if (chosen === undefined || (before.selected === 0 && chosen.keys.length === 0)) return screen
  const found = part.rows.findIndex(({ id }) => id === chosen.id)
  if (found !== -1) return { ...screen, selected: found }
  const last = Math.max(0, part.rows.length - 1)
  return { ...screen, selected: Math.min(before.selected, last), isGone: true }
}

/** What a key changes of the screen itself; undefined where it does something else. */
function changeOf(screen: Screen, input: string, key: Key): Partial<Screen> | undefined {
  if (screen.isTyping) return typed(screen, input, key)
  if (input === "?" || (screen.isHelp && key.escape)) return { isHelp: !screen.isHelp, scrolled: 0, said: "" }
  if (key.escape) return { query: "", selected: 0, said: "", isLoading: screen.query !== "" }
  return moveOf(screen, input, key)
}

/** What a key changes while the user types a search. */
function typed({ query }: Screen, input: string, key: Key): Partial<Screen> {
  if (key.return) return { isTyping: false }
  if (key.escape) return { isTyping: false, query: "", selected: 0, isLoading: true }
  if (key.backspace || key.delete) return { query: query.slice(0, -1), selected: 0, isLoading: true }
  if (input === "" || key.ctrl || key.meta || key.tab) return {}
  return typedText({ query }, input)
}

/** Adds a text to the search; a line break at its end ends the typing. */
function typedText({ query }: Pick<Screen, "query">, text: string): Partial<Screen> {
  const isDone = /[\r\n]$/.test(text)
  const words = isDone ? text.trimEnd() : text
  return {
    ...{ query: query + words.replaceAll(/[\r\n\t]+/g, " "), selected: 0, isLoading: true },
    ...(isDone ? { isTyping: false } : {}),
  }
}

/** Acts on one key; after "quit" no later key acts. */
type Press = (input: string, key: Key) => unknown

/** Presses the keys that a terminal sends at once, one by one. An open text field takes the rest of them as text. */
function pressEach(
  input: string,
  key: Key,
  { isTyping, press }: { isTyping: () => boolean; press: Press },
): void {
  if (input.length <= 1) return void press(input, key)
  // The rest of an escape sequence that is not known.
  if (!isTyping() && /^[[O]/.test(input)) return
  for (let rest = input; rest !== ""; ) {
    const one = isTyping() ? rest : rest.slice(0, 1)
    if (press(one, { ...key, return: one === "\r", tab: one === "\t" }) === "quit") return
    rest = rest.slice(one.length)
  }
}

/** The page that a key leads to; undefined where it leads nowhere. */
function pageFor(page: Page, input: string, key: Key): Page | undefined {
  if (input === "/") return pages.find(({ name }) => name === "Memory")
  if (key.tab) return pages[(pages.indexOf(page) + (key.shift ? pages.length - 1 : 1)) % pages.length]
  return /^[1-9]$/.test(input) ? pages[Number(input) - 1] : undefined
}

/** What a movement key changes; undefined for other keys. */
function moveOf(screen: Screen, input: string, key: Key): Partial<Screen> | undefined {
  const { rows, selected, scrolled, isGone } = screen
  const to = (index: number) => ({
    selected: Math.max(0, Math.min(rows.length - 1, index)),
    scrolled: 0,
    said: "",
  })
  // The next row has taken the place of a row that is gone.
  if (key.downArrow || input === "j") return to(isGone ? selected : selected + 1)
  if (key.upArrow || input === "k") return to(selected - 1)
  if (key.home || input === "g") return to(0)
  if (key.end || input === "G") return to(rows.length - 1)
  if (key.pageDown) return { scrolled: scrolled + 5 }
  if (key.pageUp) return { scrolled: Math.max(0, scrolled - 5) }
  return undefined
}
