import { Box, type Key, Text, useApp, useInput, useWindowSize } from "ink"
import { createElement, type ReactNode, useCallback, useEffect, useRef, useState } from "react"
import type { Client } from "../../api/client.ts"
import { messageOf } from "../../base/errors.ts"
import { drawScreen, type Screen } from "./layout.ts"
import type { TuiNeeds } from "./needs.ts"
import { type Page, pages } from "./pages.ts"

/** How often the screen looks for news. */
const everyMs = 1500
/** After the last letter of a search, so that not each letter is searched for. */
const typingMs = 150

const [firstPage = pages[0] as Page] = pages

/** The terminal program: pages with a list and a preview, the widget, the keys. */
export function App({ needs }: { needs: TuiNeeds }): ReactNode {
  const { exit } = useApp()
  const { columns, rows: lines } = useWindowSize()
  const [screen, setScreen] = useState<Screen>({
    page: firstPage,
    rows: [],
    selected: 0,
    scrolled: 0,
    query: "",
    isTyping: false,
    isLoading: true,
    status: undefined,
    said: "",
  })
  const change = useCallback((part: Partial<Screen>) => setScreen((before) => ({ ...before, ...part })), [])
  const { page, query } = screen
  const refresh = useRefresh(needs, { page, query }, change)

  const act = async (work: (client: Client) => Promise<string>) => {
    try {
      change({ said: await needs.lasting.use(work) })
    } catch (error) {
      change({ said: messageOf(error) })
    }
    refresh()
  }
  const go = (to: Page, search: string | undefined) => {
    const typing = search === undefined ? { isTyping: false } : { isTyping: true, query: search }
    change({ page: to, rows: [], selected: 0, scrolled: 0, said: "", isLoading: true, ...typing })
  }
  const actOn = (input: string) => {
    const own = page.keys.find((one) => one.key === input)
    const id = screen.rows[screen.selected]?.id
    if (own !== undefined && id !== undefined) void act((client) => own.act(client, needs, id))
  }
  useInput((input, key) => {
    if (screen.isTyping) return change(typed(screen, input, key))
    const move = moveOf(screen, input, key)
    if (move !== undefined) return change(move)
    if (input === "q") return exit()
    if (key.escape) return change({ query: "", selected: 0, said: "" })
    if (input === "r") return refresh()
    const to = pageFor(page, input, key)
    // A terminal may hand over several keys at once.
    if (to !== undefined) return go(to, input.startsWith("/") ? input.slice(1) : undefined)
    actOn(input)
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

/** Loads the status and the page now and then again; gives what loads them at once. */
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
        const status = await needs.lasting.use((client) => client.status())
        const rows = await needs.lasting.use((client) => page.load(client, needs, query))
        if (!isOver) change({ status, rows, isLoading: false })
      } catch (error) {
        if (!isOver) change({ said: messageOf(error) })
      }
      if (!isOver) cancel = needs.clock.after(everyMs, () => void load())
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

/** What a key changes while a search is typed. */
function typed({ query }: Screen, input: string, key: Key): Partial<Screen> {
  if (key.return) return { isTyping: false }
  if (key.escape) return { isTyping: false, query: "", selected: 0 }
  if (key.backspace || key.delete) return { query: query.slice(0, -1), selected: 0 }
  if (input === "" || key.ctrl || key.meta || key.tab) return {}
  return { query: query + input, selected: 0, isLoading: true }
}

/** The page that a key leads to; undefined where it leads nowhere. */
function pageFor(page: Page, input: string, key: Key): Page | undefined {
  if (input.startsWith("/")) return pages.find(({ name }) => name === "Memory")
  if (key.tab) return pages[(pages.indexOf(page) + (key.shift ? pages.length - 1 : 1)) % pages.length]
  return /^[1-9]$/.test(input) ? pages[Number(input) - 1] : undefined
}

/** What a key that moves changes; undefined where it is none. */
function moveOf({ rows, selected, scrolled }: Screen, input: string, key: Key): Partial<Screen> | undefined {
  const to = (index: number) => ({
    selected: Math.max(0, Math.min(rows.length - 1, index)),
    scrolled: 0,
    said: "",
  })
  if (key.downArrow || input === "j") return to(selected + 1)
  if (key.upArrow || input === "k") return to(selected - 1)
  if (key.home || input === "g") return to(0)
  if (key.end || input === "G") return to(rows.length - 1)
  if (key.pageDown) return { scrolled: scrolled + 5 }
  if (key.pageUp) return { scrolled: Math.max(0, scrolled - 5) }
  return undefined
}
