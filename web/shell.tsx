import { useCallback, useEffect, useMemo, useRef, useState } from "react"
import { flushSync } from "react-dom"
import { pageAt } from "./pages.tsx"
import { Button, Link, Marked } from "./parts/basics.tsx"
import { Dialog } from "./parts/dialog.tsx"
import { Icon, type IconName } from "./parts/icons.tsx"
import { usePairs } from "./parts/pairs.ts"
import { type Command, Palette } from "./parts/palette.tsx"
import { wakeMessage } from "./parts/tending-card.tsx"
import { ActionContext, type Actions, type Message } from "./state/actions.ts"
import { client, setNoticeListener, signOut } from "./state/client.ts"
import { moveRow, useKeys, useSearchEscape, useSequences } from "./state/keys.ts"
import { stopLive } from "./state/live.ts"
import { go, useRoute } from "./state/router.ts"
import { useStatus } from "./state/status.ts"
import { chooseTheme, useTheme } from "./state/theme.ts"
import { messageOf, useLive } from "./state/use-data.ts"

interface MenuEntry {
  to: string
  name: string
  icon: IconName
  /** The second key after g. */
  key: string
}

const groups: { title: string; entries: MenuEntry[] }[] = [
  {
    title: "Memory",
    entries: [
      { to: "/", name: "Today", icon: "today", key: "t" },
      { to: "/memory", name: "Memory", icon: "memory", key: "m" },
      { to: "/graph", name: "Graph", icon: "graph", key: "g" },
      { to: "/conflicts", name: "Conflicts", icon: "conflicts", key: "c" },
      { to: "/sessions", name: "Sessions", icon: "sessions", key: "s" },
    ],
  },
  {
    title: "Tending",
    entries: [
      { to: "/inbox", name: "Inbox", icon: "inbox", key: "i" },
      { to: "/cycles", name: "Cycles", icon: "cycles", key: "y" },
      { to: "/queue", name: "Queue", icon: "queue", key: "q" },
      { to: "/usage", name: "Usage", icon: "usage", key: "u" },
      { to: "/chat", name: "Chat", icon: "chat", key: "h" },
    ],
  },
  {
    title: "System",
    entries: [
      { to: "/journal", name: "Journal", icon: "journal", key: "j" },
      { to: "/settings", name: "Settings", icon: "settings", key: "e" },
      { to: "/doctor", name: "Doctor", icon: "doctor", key: "d" },
    ],
  },
]
const entries = groups.flatMap((group) => group.entries)

/** How long a message is shown. */
const messageMs = 8000

/** The frame around a page: menu, palette, help and messages. */
export function Shell() {
  const place = useRoute()
  const [isPalette, setPalette] = useState(false)
  const [isHelp, setHelp] = useState(false)
  const [isMenu, setMenu] = useState(false)
  const { actions, messages } = useMessages()
  const status = useStatus()
  const { data: pairs } = usePairs()
  const toggleTheme = useCallback(
    () => chooseTheme(document.documentElement.dataset.theme === "light" ? "dark" : "light"),
    [],
  )
  const commands = useMemo(() => commandsOf(actions, toggleTheme), [actions, toggleTheme])
  useKeys({
    // Synchronous, so that no letter typed after it is lost.
    "Mod+k": () => flushSync(() => setPalette((is) => !is)),
    "/": () =>
      place.path === "/memory" ? document.querySelector<HTMLElement>("#search")?.focus() : go("/memory"),
    "?": () => setHelp(true),
    j: () => moveRow(1),
    k: () => moveRow(-1),
    z: () => actions.undoLast(),
  })
  useSearchEscape()
  useSequences("g", Object.fromEntries(entries.map(({ key, to }) => [key, () => go(to)])))
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page closes the menu
  useEffect(() => setMenu(false), [place.path])
  const current = entries.findLast(({ to }) => (to === "/" ? place.path === "/" : place.path.startsWith(to)))
  useEffect(() => {
    document.title = current ? `${current.name} · Reverie` : "Reverie"
  }, [current])
  const counts: Record<string, number> = {
    "/inbox": status.data?.inbox.waiting ?? 0,
    "/conflicts": pairs?.length ?? 0,
    "/queue": status.data?.queue.count ?? 0,
  }
  return (
    <ActionContext.Provider value={actions}>
      <a className="skip" href="#main">
        Skip to the page
      </a>
      <div className="top">
        <Button kind="plain" onClick={() => setMenu(!isMenu)} isPressed={isMenu}>
          <Icon name="menu" />
          Menu
        </Button>
        <span className="brand">{current?.name ?? "Reverie"}</span>
        <Button kind="plain" onClick={() => setPalette(true)}>
          <Icon name="search" />
          Find
        </Button>
      </div>
      <div className="shell">
        <aside className="side" data-open={isMenu}>
          <Link to="/" className="brand">
            <img src="/icon.svg" alt="" />
            Reverie
          </Link>
          <button type="button" className="find" onClick={() => setPalette(true)}>
            <Icon name="search" size={16} /> Find or do <kbd>Ctrl K</kbd>
          </button>
          <nav className="nav" aria-label="Pages">
            {groups.map((group) => (
              <div key={group.title}>
                <h2>{group.title}</h2>
                {group.entries.map(({ to, name, icon }) => (
                  <Link key={to} to={to} isCurrent={current?.to === to}>
                    <Icon name={icon} />
                    {name}
                    {counts[to] ? <span className="badge accent count">{counts[to]}</span> : null}
                  </Link>
                ))}
              </div>
            ))}
          </nav>
          <div className="side-foot">
            <LiveLine onTheme={toggleTheme} onHelp={() => setHelp(true)} />
          </div>
        </aside>
        <main className="main" id="main" tabIndex={-1}>
          {pageAt(place)}
        </main>
      </div>
      {isPalette ? <Palette commands={commands} onClose={() => setPalette(false)} /> : null}
      {isHelp ? <Help onClose={() => setHelp(false)} /> : null}
      <div className="toasts" role="status">
        {messages.map(({ id, text, tone, operation }) => (
          <div key={id} className={`toast ${tone}`}>
            <span className="grow">
              <Marked text={text} />
            </span>
            {operation ? (
              <Button isTiny hint="z" onClick={actions.undoLast}>
                Undo
              </Button>
            ) : null}
          </div>
        ))}
      </div>
    </ActionContext.Provider>
  )
}

function LiveLine({ onTheme, onHelp }: { onTheme(): void; onHelp(): void }) {
  const live = useLive()
  const theme = useTheme()
  const texts = { live: "Live", connecting: "Connecting …", away: "The daemon does not answer" }
  return (
    <>
      <div className="buttons">
        <Button kind="plain" isTiny onClick={onTheme}>
          <Icon name={theme === "light" ? "moon" : "sun"} size={15} />
          {theme === "light" ? "Dark" : "Light"}
        </Button>
        <Button kind="plain" isTiny hint="?" onClick={onHelp}>
          Keys
        </Button>
      </div>
      <div className="live" data-state={live}>
        <i />
        {texts[live]}
      </div>
    </>
  )
}

type ShownMessage = Message & { id: number }

/** The messages at the edge of the page, and the actions that cause them. */
function useMessages(): { actions: Actions; messages: ShownMessage[] } {
  const [messages, setMessages] = useState<ShownMessage[]>([])
  const last = useRef<string | undefined>(undefined)
  const next = useRef(0)
  const actions = useMemo<Actions>(() => {
    const notify = (message: Message) => {
      const id = next.current++
      if (message.operation) last.current = message.operation
      setMessages((all) => [
        ...all.filter(({ operation }) => !message.operation || !operation).slice(-2),
        { ...message, id },
      ])
      setTimeout(() => setMessages((all) => all.filter((shown) => shown.id !== id)), messageMs)
    }
    const act: Actions["act"] = async (work, done) => {
      try {
        const result = await work()
        const isUnchanged = result?.outcome === "unchanged"
        notify({
          text: isUnchanged ? "Nothing to change." : done,
          tone: "good",
          operation: isUnchanged ? undefined : result?.operation,
        })
        return true
      } catch (error) {
        notify({ text: messageOf(error), tone: "bad" })
        return false
      }
    }
    const run: Actions["run"] = (work, done) => act(async () => void (await work()), done)
    return {
      notify,
      act,
      run,
      undoLast() {
        const operation = last.current
        if (operation === undefined) return
        last.current = undefined
        setMessages((all) => all.map((message) => ({ ...message, operation: undefined })))
        void run(() => client.undo({ operation }), "Undone.")
      },
    }
  }, [])
  useEffect(() => setNoticeListener((text) => actions.notify({ text, tone: "good" })), [actions])
  return { actions, messages }
}

function commandsOf(actions: Actions, toggleTheme: () => void): Command[] {
  const run = (work: () => Promise<unknown>, done: string) => () => void actions.run(work, done)
  return [
    ...entries.map(({ name, to, key }) => ({ name, hint: `g ${key}`, run: () => go(to) })),
    { name: "Add a memory", run: () => go("/memory?add") },
    { name: "Resolve conflicts", run: () => go("/conflicts") },
    { name: "Undo the last change", hint: "z", run: actions.undoLast },
    { name: "Wake now", run: run(() => client.wake(), wakeMessage) },
    { name: "Pause tending", run: run(() => client.pause({}), "Paused until you resume.") },
    { name: "Resume tending", run: run(() => client.resume(), "Resumed.") },
    { name: "Take a snapshot", run: run(() => client.takeSnapshot(), "A snapshot was taken.") },
    { name: "Switch between dark and light", run: toggleTheme },
    {
      name: "Sign out",
      run: () => {
        stopLive()
        void signOut().finally(() => window.location.assign("/"))
      },
    },
  ]
}

const keyHelp: [string, string][] = [
  ["Ctrl K", "find a page, a command or a memory"],
  ["/", "search memories; Esc empties the field, then leaves it"],
  ["g, then a letter", "go to a page, such as g i for the inbox"],
  ["j / k", "next and previous row; Enter opens it"],
  ["z", "undo the last change"],
  ["e f r t l", "on a memory: edit, forget, restore, tag, link"],
  ["+ / −", "on a memory: it helped, or it did not"],
  ["1 2 b s", "on a pair: keep the first, the second, both; skip"],
  ["a d r e", "on a request: approve, deny, respond, edit"],
]

function Help({ onClose }: { onClose(): void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl className="facts">
        {keyHelp.map(([key, text]) => (
          <div key={key} className="key-line">
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <div className="buttons">
        <Button onClick={onClose}>Close</Button>
      </div>
    </Dialog>
  )
}
