import { type ReactNode, useLayoutEffect, useRef } from "react"

interface DialogProps {
  title: string
  className?: string
  onClose(): void
  children: ReactNode
  /** Without heading and padding, as for the palette. */
  isBare?: boolean
}

/** A modal dialog: the browser keeps the focus inside, and Escape closes it. */
export function Dialog({ title, className = "", onClose, children, isBare = false }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const shown = dialog.current
    shown?.showModal()
    return () => shown?.close()
  }, [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same, and is the browser's own
    <dialog
      ref={dialog}
      className={className}
      aria-label={title}
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      {isBare ? (
        children
      ) : (
        <div className="dialog-body">
          <h2>{title}</h2>
          {children}
        </div>
      )}
    </dialog>
  )
}
