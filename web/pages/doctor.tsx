import { Badge, Button, Card, Head, Loading, Marked } from "../parts/basics.tsx"
import { count, safeText } from "../parts/words.ts"
import { client } from "../state/client.ts"
import { useData } from "../state/use-data.ts"

/** Problems of the installation, and how to fix them. */
export function Doctor() {
  const found = useData("doctor", () => client.doctor())
  const checks = found.data?.checks ?? []
  const bad = checks.filter(({ ok }) => !ok)
  const about =
    found.data === undefined
      ? "Checking …"
      : bad.length === 0
        ? "No problems found."
        : `${count(bad.length, "problem")} found.`
  return (
    <div className="page">
      <Head title="Doctor" about={about}>
        <Button onClick={found.reload}>Check again</Button>
      </Head>
      {found.data === undefined ? (
        <Loading error={found.error} reload={found.reload} />
      ) : (
        <Card>
          {[...bad, ...checks.filter(({ ok }) => ok)].map((check) => (
            <div key={`${check.id} ${check.message}`} className="check">
              <Badge tone={check.ok ? "good" : check.severity === "error" ? "bad" : "warn"}>
                {check.ok ? "ok" : check.severity}
              </Badge>
              <strong>{check.id}</strong>
              <span className="text">
                <Marked text={safeText(check.message)} />{" "}
                {check.fixHint === "" ? null : <Marked text={check.fixHint} />}
              </span>
            </div>
          ))}
        </Card>
      )}
    </div>
  )
}
