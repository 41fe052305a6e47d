import type { Answer } from "../../../src/api/contract/answers.ts"
import { Badge, Card, Link, MemoryRow, Text, When } from "../../parts/basics.tsx"
import { Rows } from "../../parts/lists.tsx"
import { count, fullTime } from "../../parts/words.ts"

/** The facts about a memory. */
export function Facts({ memory }: { memory: Answer<"show"> }) {
  const scope = { global: "everywhere", project: memory.projectName ?? "one project", session: "one session" }
  return (
    <Card title="At a glance" className="side-card">
      <dl className="facts">
        <dt>Confidence</dt>
        <dd>{memory.confidenceNow.toFixed(2)}</dd>
        <dt>Applies</dt>
        <dd>{scope[memory.scope]}</dd>
        <dt>Source</dt>
        <dd>{memory.source}</dd>
        <dt>Stated</dt>
        <dd title={fullTime(memory.createdAt)}>
          <When at={memory.createdAt} />
        </dd>
        <dt>Strength</dt>
        <dd title="Raised when it is stated again, and when it helped">{memory.strength}</dd>
        <dt>Used</dt>
        <dd>
          {count(memory.accessCount, "time")}
          {memory.accessedAt ? (
            <>
              , last <When at={memory.accessedAt} />
            </>
          ) : null}
        </dd>
        {memory.verifiedAt ? (
          <>
            <dt>Verified</dt>
            <dd>
              <When at={memory.verifiedAt} />
            </dd>
          </>
        ) : null}
      </dl>
      <div className="row-line tag-line">
        {memory.tags.map((tag) => (
          <Link key={tag} to={`/memory?tag=${encodeURIComponent(tag)}`} className="badge">
            #{tag}
          </Link>
        ))}
        {memory.inferredTags.map((tag) => (
          <Badge key={tag}>~{tag}</Badge>
        ))}
        {memory.clusters.map(({ id, name }) => (
          <Badge key={id} tone="accent">
            {name}
          </Badge>
        ))}
      </div>
    </Card>
  )
}

const relations = [
  ["supersededBy", "Replaced by"],
  ["supersedes", "Replaces"],
  ["contradicts", "Contradicts"],
  ["derivedFrom", "Derived from"],
  ["relatesTo", "Related to"],
] as const

/** The memories it is linked to. */
export function Neighbours({ why }: { why: Answer<"why"> | undefined }) {
  if (why === undefined) return null
  const groups = relations.flatMap(([name, word]) => {
    const found = [why[name]].flat().filter((one) => one !== null)
    return found.length === 0 ? [] : [{ word, found }]
  })
  return (
    <Card title="Neighbours">
      {groups.length === 0 ? (
        <p className="faint small flush">It has no links yet. Press l to link it.</p>
      ) : null}
      {groups.map(({ word, found }) => (
        <div key={word}>
          <h3 className="small-title">{word}</h3>
          <Rows items={found} keyOf={({ id }) => id}>
            {({ id, content, status }) => (
              <Link to={`/memory/${id}`} className="row" isRow>
                <Text text={content} line />
                {status === "active" ? null : <Badge tone="warn">{status}</Badge>}
              </Link>
            )}
          </Rows>
        </div>
      ))}
    </Card>
  )
}

/** The most similar memories. */
export function Similar({ similar }: { similar: Answer<"similar"> | undefined }) {
  if (similar === undefined || similar.results.length === 0) return null
  return (
    <Card title="Similar">
      <Rows items={similar.results} keyOf={({ id }) => id}>
        {(hit) => <MemoryRow memory={hit} meta={<span>{hit.score.toFixed(2)}</span>} />}
      </Rows>
    </Card>
  )
}
