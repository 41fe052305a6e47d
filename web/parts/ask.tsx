import { type ReactNode, useState } from "react"
import { messageOf } from "../state/use-data.ts"
import { Button, Problem } from "./basics.tsx"
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
  /** Throws, or returns a message, if it fails; then the dialog stays open. */
  onDone(text: string): Promise<string | undefined>
}

/** A dialog that asks for one text. */
export function Ask(props: AskProps) {
  const { title, label, initial = "", isLong = false, action, mayBeEmpty = false, onClose, onDone } = props
  const [text, setText] = useState(initial)
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const send = async () => {
    setBusy(true)
    const failure = await onDone(text.trim()).catch(messageOf)
    setBusy(false)
    if (failure === undefined) onClose()
    else setProblem(failure)
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
        {props.children}
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
        {problem === undefined ? null : <Problem text={problem} />}
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
