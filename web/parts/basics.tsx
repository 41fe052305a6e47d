import { type ReactNode, useState } from "react"
import { go } from "../state/router.ts"
import type { Loaded } from "../state/use-data.ts"
import { ago, fullTime, type MemoryJson, type MemoryType, safeText, typeNames } from "./words.ts"

interface LinkProps {
  to: string
  className?: string
  children: ReactNode
  isCurrent?: boolean
  isRow?: boolean
  /** For search results. */
  isSure?: boolean
}

/** A link inside the dashboard that does not reload the page. Opening it in a new tab still works. */
export function Link({ to, className, children, isCurrent, isRow, isSure }: LinkProps) {
  return (
    <a
      href={to}
      className={className}
      aria-current={isCurrent ? "page" : undefined}
      data-row={isRow ? "" : undefined}
      data-sure={isSure}
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

/** The head of a page: title, explanation and buttons. */
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

/** Untrusted text: never rendered as markup, without bidi controls. Long texts are folded. */
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
  const shown = safeText(text)
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
    <time dateTime={at} title={fullTime(at)}>
      {ago(at)}
    </time>
  )
}

export function TypeName({ type }: { type: MemoryType }) {
  return (
    <span className="type" data-type={type}>
      {typeNames[type]}
    </span>
  )
}

type Tone = "good" | "warn" | "bad" | "accent" | "none"

export function Badge({ tone = "none", children }: { tone?: Tone; children: ReactNode }) {
  return <span className={`badge ${tone === "none" ? "" : tone}`}>{children}</span>
}

/** Shown instead of an empty list, with advice. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <strong>{title}</strong>
      {children}
    </div>
  )
}

/** Renders loaded data, or that it is still loading, or the error. */
export function Load<T>({ from, children }: { from: Loaded<T>; children(data: T): ReactNode }) {
  if (from.data === undefined) return <Loading error={from.error} reload={from.reload} />
  return children(from.data)
}

/** An error message in which `commands` are marked. */
export function Problem({ text }: { text: string }) {
  return (
    <div className="notice bad" role="alert">
      <Marked text={text} />
    </div>
  )
}

interface LoadingProps {
  error: string | undefined
  reload?: () => void
}

/** A whole page until its data is loaded. */
export function LoadingPage({ title, ...loading }: LoadingProps & { title?: string }) {
  return (
    <div className="page">
      {title === undefined ? null : <Head title={title} />}
      <Loading {...loading} />
    </div>
  )
}

/** Shown until data is loaded, or the error. */
export function Loading({ error, reload }: LoadingProps) {
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

/** A sentence in which `commands` are marked. */
export function Marked({ text }: { text: string }) {
  return (
    <>
      {safeText(text)
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

/** A button; `hint` is its keyboard shortcut. */
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
  memory: Pick<MemoryJson, "id" | "content" | "type">
  meta?: ReactNode
}) {
  return (
    <Link to={`/memory/${memory.id}`} className="row" isRow>
      <Text text={memory.content} line />
      <span className="meta">
        <TypeName type={memory.type} />
        {meta}
      </span>
    </Link>
  )
}

/** The lines of a diff. */
export function Diff({ lines }: { lines: readonly string[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <pre className="diff" tabIndex={0}>
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines of a text have no other identity
        <span key={index} className={lineKind(line)} dir="ltr">
          {safeText(line)}
        </span>
      ))}
    </pre>
  )
}

function lineKind(line: string): string {
  if (/^(?:@@|diff |index |\+\+\+|---|…)/.test(line)) return "where"
  return line.startsWith("+") ? "plus" : line.startsWith("-") ? "minus" : ""
}
