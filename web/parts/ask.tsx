import { type ReactNode, useState } from "react"
import { Button, Marked } from "./basics.tsx"
import { Dialog } from "./dialog.tsx"

interface AskProps {
  title: string
  label: string
  initial?: string
  isLong?: boolean
  action: string
  mayBeEmpty?: boolean
  children?: ReactNode
  onClose(): void
  /** Gives a sentence where it does not work; the dialog stays open then. */
  onDone(text: string): Promise<string | undefined>
}

/** Asks for one text. */
export function Ask(props: AskProps) {
  const {
    title,
    label,
    initial = "",
    isLong = false,
    action,
    mayBeEmpty = false,
    children,
    onClose,
    onDone,
  } = props
  const [text, setText] = useState(initial)
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const send = async () => {
    setBusy(true)
    const said = await onDone(text.trim())
    setBusy(false)
    if (said === undefined) onClose()
    else setProblem(said)
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void send()
        }}
      >
        {children}
        <label className="field" htmlFor="asked">
          <span>{label}</span>
          {isLong ? (
            <textarea
              id="asked"
              value={text}
              onChange={({ target }) => setText(target.value)}
              onKeyDown={(event) => {
                if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void send()
              }}
            />
          ) : (
            <input id="asked" type="text" value={text} onChange={({ target }) => setText(target.value)} />
          )}
        </label>
        {problem === undefined ? null : (
          <div className="notice bad" role="alert">
            <Marked text={problem} />
          </div>
        )}
        <div className="buttons">
          <button
            type="submit"
            className="button primary"
            disabled={isBusy || (!mayBeEmpty && text.trim() === "")}
          >
            {action}
          </button>
          <Button kind="plain" onClick={onClose}>
            Cancel
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
