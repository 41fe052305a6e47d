import { type ReactNode, useState } from "react"
import { go } from "../state/router.ts"
import type { Shown, ShownMemoryType } from "./types.ts"
import { ago, plain, typeWords, wholeTime } from "./words.ts"

interface LinkProps {
  to: string
  className?: string
  children: ReactNode
  isCurrent?: boolean
  isRow?: boolean
  label?: string
}

/** A link inside the dashboard: no reload, and all a browser's own ways with links still work. */
export function Link({ to, className, children, isCurrent, isRow, label }: LinkProps) {
  return (
    <a
      href={to}
      className={className}
      aria-current={isCurrent ? "page" : undefined}
      aria-label={label}
      data-row={isRow ? "" : undefined}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return
        event.preventDefault()
        go(to)
      }}
    >
      {children}
    </a>
  )
}

interface HeadProps {
  title: string
  about?: ReactNode
  children?: ReactNode
}

/** The head of a page: what it is, what it is about, what can be done. */
export function Head({ title, about, children }: HeadProps) {
  return (
    <header className="head">
      <h1>{title}</h1>
      {about === undefined ? null : <p>{about}</p>}
      {children === undefined ? null : <div className="actions buttons">{children}</div>}
    </header>
  )
}

interface CardProps {
  title?: ReactNode
  more?: { to: string; text: string }
  className?: string
  children: ReactNode
}

export function Card({ title, more, className = "", children }: CardProps) {
  return (
    <section className={`card ${className}`}>
      {title === undefined ? null : (
        <div className="card-head">
          <h2>{title}</h2>
          {more ? (
            <Link to={more.to} className="more">
              {more.text}
            </Link>
          ) : null}
        </div>
      )}
      {children}
    </section>
  )
}

/** Text of anybody's: never markup, never turned around, never wider than the page. Long ones can be unfolded. */
export function Text({
  text,
  line = false,
  className = "",
}: {
  text: string
  line?: boolean
  className?: string
}) {
  const [isOpen, setOpen] = useState(false)
  const shown = plain(text)
  if (line)
    return (
      <span className={`text one-line ${className}`} dir="auto">
        {shown.slice(0, 400)}
      </span>
    )
  const isLong = shown.length > 1200 || shown.split("\n", 16).length > 14
  return (
    <>
      <div className={`text ${className} ${isLong && !isOpen ? "folded" : ""}`} dir="auto">
        {isLong && !isOpen ? shown.slice(0, 4000) : shown}
      </div>
      {isLong ? (
        <button
          type="button"
          className="button plain tiny"
          onClick={() => setOpen(!isOpen)}
          aria-expanded={isOpen}
        >
          {isOpen ? "Show less" : `Show all ${shown.length.toLocaleString("en-US")} characters`}
        </button>
      ) : null}
    </>
  )
}

export function When({ at }: { at: string }) {
  return (
    <time dateTime={at} title={wholeTime(at)}>
      {ago(at)}
    </time>
  )
}

export function TypeWord({ type }: { type: ShownMemoryType }) {
  return (
    <span className="type" data-type={type}>
      {typeWords[type]}
    </span>
  )
}

type Tone = "good" | "warn" | "bad" | "accent" | "none"

export function Badge({ tone = "none", children }: { tone?: Tone; children: ReactNode }) {
  return <span className={`badge ${tone === "none" ? "" : tone}`}>{children}</span>
}

/** What to do where there is nothing. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <strong>{title}</strong>
      {children}
    </div>
  )
}

/** What is shown until something is there, or why it is not. */
export function Waiting({ error, reload }: { error: string | undefined; reload?: () => void }) {
  if (error === undefined)
    return (
      <div className="empty" aria-busy="true">
        Loading …
      </div>
    )
  return (
    <div className="notice bad" role="alert">
      <Marked text={error} />{" "}
      {reload ? (
        <button type="button" className="button tiny" onClick={reload}>
          Try again
        </button>
      ) : null}
    </div>
  )
}

/** A sentence in which `commands` are set apart. */
export function Marked({ text }: { text: string }) {
  return (
    <>
      {plain(text)
        .split("`")
        .map((part, index) =>
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence have no other identity
          index % 2 === 1 ? <code key={index}>{part}</code> : part,
        )}
    </>
  )
}

interface ButtonProps {
  onClick(): void
  children: ReactNode
  kind?: "primary" | "danger" | "plain"
  hint?: string
  isTiny?: boolean
  isOff?: boolean
  isPressed?: boolean
}

/** A button that says which key does the same. */
export function Button({
  onClick,
  children,
  kind,
  hint,
  isTiny = false,
  isOff = false,
  isPressed,
}: ButtonProps) {
  return (
    <button
      type="button"
      className={`button ${kind ?? ""} ${isTiny ? "tiny" : ""}`}
      disabled={isOff}
      aria-pressed={isPressed}
      aria-keyshortcuts={hint}
      onClick={onClick}
    >
      {children}
      {hint ? <kbd>{hint}</kbd> : null}
    </button>
  )
}

/** One memory in a list. */
export function MemoryRow({
  memory,
  meta,
}: {
  memory: Pick<Shown, "id" | "content" | "type">
  meta?: ReactNode
}) {
  return (
    <Link to={`/memory/${memory.id}`} className="row" isRow>
      <Text text={memory.content} line />
      <span className="meta">
        <TypeWord type={memory.type} />
        {meta}
      </span>
    </Link>
  )
}

/** A difference, line by line. */
export function Diff({ lines }: { lines: readonly string[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <pre className="diff" tabIndex={0}>
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines of a text have no other identity
        <span key={index} className={lineKind(line)} dir="ltr">
          {plain(line)}
        </span>
      ))}
    </pre>
  )
}

function lineKind(line: string): string {
  if (/^(?:@@|diff |index |\+\+\+|---|…)/.test(line)) return "where"
  return line.startsWith("+") ? "plus" : line.startsWith("-") ? "minus" : ""
}
