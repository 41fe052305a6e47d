import { useEffect, useState } from "react"
import type { HitJson } from "../../src/api/contract/memory-answers.ts"
import { client } from "../state/client.ts"
import { go } from "../state/router.ts"
import { Dialog } from "./dialog.tsx"
import { shortText } from "./words.ts"

/** Something the palette can do. */
export interface Command {
  name: string
  hint?: string
  run(): void
}

const maxHits = 6

/** Finds pages, commands and memories by a few letters. */
export function Palette({ commands, onClose }: { commands: readonly Command[]; onClose(): void }) {
  const [query, setQuery] = useState("")
  const [chosen, setChosen] = useState(0)
  const hits = useHits(query)
  const found: Command[] = [
    ...commands.filter(({ name }) => matches(name, query)),
    ...hits.map((hit) => ({
      name: shortText(hit.content, 160),
      hint: hit.type,
      run: () => go(`/memory/${hit.id}`),
    })),
  ]
  const at = Math.min(chosen, Math.max(0, found.length - 1))
  const run = (command: Command | undefined) => {
    if (command === undefined) return
    onClose()
    command.run()
  }
  const onKey = (event: React.KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      setChosen(Math.max(0, Math.min(found.length - 1, at + step)))
    }
    if (event.key === "Enter") {
      event.preventDefault()
      run(found[at])
    }
  }
  return (
    <Dialog title="Commands" className="palette" onClose={onClose} isBare>
      <input
        type="text"
        role="combobox"
        aria-label="Go to a page, do something, or find a memory"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={`palette-${at}`}
        placeholder="Go to a page, do something, or find a memory"
        value={query}
        onChange={({ target }) => {
          setQuery(target.value)
          setChosen(0)
        }}
        onKeyDown={onKey}
      />
      <div id="palette-list" role="listbox" aria-label="Commands" className="palette-list">
        {found.map((command, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above takes the keys
          <div
            key={`${command.name} ${command.hint ?? ""}`}
            id={`palette-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            onClick={() => run(command)}
          >
            <span className="text one-line">{command.name}</span>
            {command.hint ? <span className="faint small">{command.hint}</span> : null}
          </div>
        ))}
        {found.length === 0 ? <p className="empty">Nothing matches.</p> : null}
      </div>
    </Dialog>
  )
}

/** Whether a name contains every word of a query. */
function matches(name: string, query: string): boolean {
  const words = query.toLowerCase().split(/\s+/)
  return words.every((word) => name.toLowerCase().includes(word))
}

function useHits(query: string): HitJson[] {
  const [hits, setHits] = useState<HitJson[]>([])
  useEffect(() => {
    if (query.trim().length < 2) {
      setHits([])
      return undefined
    }
    let isCurrent = true
    const timer = setTimeout(() => {
      client.search({ query, limit: maxHits, allProjects: "true", typing: "true" }).then(
        ({ results }) => isCurrent && setHits(results),
        () => undefined,
      )
    }, 80)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [query])
  return hits
}
