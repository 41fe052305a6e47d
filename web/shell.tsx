import { useCallback, useEffect, useMemo, useRef, useState } from "react"
import { flushSync } from "react-dom"
import { pageAt } from "./pages.tsx"
import { Button, Link, Marked } from "./parts/basics.tsx"
import { Dialog } from "./parts/dialog.tsx"
import { Icon, type IconName } from "./parts/icons.tsx"
import { usePairs } from "./parts/pairs.ts"
import { type Command, Palette } from "./parts/palette.tsx"
import { ActContext, type Acts, type Told } from "./state/act.ts"
import { client, hearNotices, signOut } from "./state/client.ts"
import { moveRow, useKeys, useSequences } from "./state/keys.ts"
import { stopLive } from "./state/live.ts"
import { go, usePlace } from "./state/router.ts"
import { chooseTheme, useTheme } from "./state/theme.ts"
import { messageOf, useData, useLive } from "./state/use-data.ts"

interface Entry {
  to: string
  name: string
  icon: IconName
  /** Behind g. */
  key: string
}

const groups: { title: string; entries: Entry[] }[] = [
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

/** How long something that was told stays in view. */
const toldMs = 8000

/** Everything around a page. */
export function Shell() {
  const place = usePlace()
  const [isPalette, setPalette] = useState(false)
  const [isHelp, setHelp] = useState(false)
  const [isMenu, setMenu] = useState(false)
  const { acts, told } = useTelling()
  const status = useData("status", () => client.status(), [
    "memory.",
    "cycle.",
    "permission.",
    "ambient.",
    "queue.",
  ])
  const { pairs } = usePairs()
  const toggleTheme = useCallback(
    () => chooseTheme(document.documentElement.dataset.theme === "light" ? "dark" : "light"),
    [],
  )
  const commands = useMemo(() => commandsOf(acts, toggleTheme), [acts, toggleTheme])
  useKeys({
    // At once, so that no letter typed after it is lost.
    "Mod+k": () => flushSync(() => setPalette((is) => !is)),
    "/": () =>
      place.path === "/memory" ? document.querySelector<HTMLElement>("#search")?.focus() : go("/memory"),
    "?": () => setHelp(true),
    j: () => moveRow(1),
    k: () => moveRow(-1),
    z: () => acts.undoLast(),
  })
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
    <ActContext.Provider value={acts}>
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
        {told.map(({ id, ...one }) => (
          <div key={id} className={`toast ${one.tone}`}>
            <span className="grow">
              <Marked text={one.text} />
            </span>
            {one.operation ? (
              <Button isTiny hint="z" onClick={acts.undoLast}>
                Undo
              </Button>
            ) : null}
          </div>
        ))}
      </div>
    </ActContext.Provider>
  )
}

function LiveLine({ onTheme, onHelp }: { onTheme(): void; onHelp(): void }) {
  const live = useLive()
  const theme = useTheme()
  const words = { live: "Live", connecting: "Connecting …", away: "The daemon is away" }
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
        {words[live]}
      </div>
    </>
  )
}

type Shown = Told & { id: number }

/** Tells what was done, and takes it back. */
function useTelling(): { acts: Acts; told: Shown[] } {
  const [told, setTold] = useState<Shown[]>([])
  const last = useRef<string | undefined>(undefined)
  const next = useRef(0)
  const acts = useMemo<Acts>(() => {
    const tell = (one: Told) => {
      const id = next.current++
      if (one.operation) last.current = one.operation
      setTold((all) => [
        ...all.filter(({ operation }) => !one.operation || !operation).slice(-2),
        { ...one, id },
      ])
      setTimeout(() => setTold((all) => all.filter((held) => held.id !== id)), toldMs)
    }
    return {
      tell,
      async act(work, done) {
        try {
          const result = await work()
          const isNothing = result?.outcome === "unchanged"
          tell({
            text: isNothing ? "Nothing to change." : done,
            tone: "good",
            operation: isNothing ? undefined : result?.operation,
          })
          return true
        } catch (error) {
          tell({ text: messageOf(error), tone: "bad" })
          return false
        }
      },
      undoLast() {
        const operation = last.current
        if (operation === undefined) return
        last.current = undefined
        setTold((all) => all.map(({ operation: _, ...one }) => ({ ...one, operation: undefined })))
        client.undo({ operation }).then(
          () => tell({ text: "Taken back.", tone: "good" }),
          (error: unknown) => tell({ text: messageOf(error), tone: "bad" }),
        )
      },
    }
  }, [])
  useEffect(() => hearNotices((text) => acts.tell({ text, tone: "good" })), [acts])
  return { acts, told }
}

function commandsOf(acts: Acts, toggleTheme: () => void): Command[] {
  const run = (work: () => Promise<unknown>, done: string) => () =>
    void acts.act(async () => {
      await work()
      return undefined
    }, done)
  return [
    ...entries.map(({ name, to, key }) => ({ name, hint: `g ${key}`, run: () => go(to) })),
    { name: "Add a memory", run: () => go("/memory?add") },
    { name: "Resolve conflicts", run: () => go("/conflicts") },
    { name: "Undo the last change", hint: "z", run: acts.undoLast },
    { name: "Wake now", run: run(() => client.wake(), "It wakes as soon as it may.") },
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

const keyWords: [string, string][] = [
  ["Ctrl K", "find anything, or do something"],
  ["/", "search memories"],
  ["g, then a letter", "go to a page, such as g i for the inbox"],
  ["j / k", "next and previous row; Enter opens it"],
  ["z", "take back the last change"],
  ["e f r t l", "on a memory: edit, forget, restore, tag, link"],
  ["+ / −", "on a memory: it helped, or it did not"],
  ["1 2 b s", "on a pair: keep the first, the second, both; skip"],
  ["a d r e", "on a request: approve, deny, respond, edit"],
]

function Help({ onClose }: { onClose(): void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl className="facts">
        {keyWords.map(([key, words]) => (
          <div key={key} className="key-line">
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
      <div className="buttons">
        <Button onClick={onClose}>Close</Button>
      </div>
    </Dialog>
  )
}
