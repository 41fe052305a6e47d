import type { ReactNode } from "react"
import type { PairJson } from "../../src/api/contract/memory-answers.ts"
import { Badge, Button, Link, TypeName, When } from "./basics.tsx"
import { type Keep, type Pair, pairKey, pairTexts } from "./pairs.ts"
import { safeText } from "./words.ts"

interface VersusProps {
  pair: Pair
  decide(keep: Keep): void
  skip?: () => void
}

/** Two memories side by side; words that only one of them contains are marked. */
export function PairCard({ pair, decide, skip }: VersusProps) {
  const [newer, older] = pair.memories
  return (
    <section
      className="card pair"
      data-current="true"
      data-pair={pairKey(pair)}
      aria-label={pairTexts[pair.kind].question}
    >
      <div className="row-line small">
        <Badge tone="warn">{pairTexts[pair.kind].name}</Badge>
        <span className="soft">{pairTexts[pair.kind].question}</span>
      </div>
      <div className="versus">
        <Side memory={newer} other={older} word="Newer">
          <Button kind="primary" hint="1" onClick={() => decide("this")}>
            Keep this
          </Button>
        </Side>
        <Side memory={older} other={newer} word="Older">
          <Button hint="2" onClick={() => decide("other")}>
            Keep this
          </Button>
        </Side>
      </div>
      <div className="buttons acting">
        <Button hint="b" onClick={() => decide("both")}>
          {pair.kind === "duplicate" ? "Both stay" : "Both are true"}
        </Button>
        {skip ? (
          <Button kind="plain" hint="s" onClick={skip}>
            Later
          </Button>
        ) : null}
      </div>
    </section>
  )
}

function Side({
  memory,
  other,
  word,
  children,
}: {
  memory: PairJson[number]
  other: PairJson[number]
  word: string
  children: ReactNode
}) {
  return (
    <div className="side-of">
      <div className="row-line small">
        <Badge tone={word === "Newer" ? "accent" : "none"}>{word}</Badge>
        <TypeName type={memory.type} />
        <span className="faint">
          {memory.projectName ?? "everywhere"} · {memory.source} · <When at={memory.createdAt} />
        </span>
      </div>
      <Link to={`/memory/${memory.id}`}>
        <Compared text={memory.content} other={other.content} />
      </Link>
      <div className="buttons">{children}</div>
    </div>
  )
}

/** A text in which words are marked that the other text does not contain. */
function Compared({ text, other }: { text: string; other: string }) {
  const words = (of: string) => of.toLowerCase().match(/[\p{L}\p{N}._/-]+/gu) ?? []
  const theirs = new Set(words(other))
  const parts = safeText(text)
    .slice(0, 2000)
    .split(/([\p{L}\p{N}._/-]+)/u)
  return (
    <span className="text" dir="auto">
      {parts.map((part, index) =>
        index % 2 === 1 && !theirs.has(part.toLowerCase()) ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other identity
          <mark key={index}>{part}</mark>
        ) : (
          part
        ),
      )}
    </span>
  )
}
