import { Badge, Button, Card, Head, Marked, Waiting } from "../parts/basics.tsx"
import { count, plain } from "../parts/words.ts"
import { client } from "../state/client.ts"
import { useData } from "../state/use-data.ts"

/** Problems of the installation, and how to fix them. */
export function Doctor() {
  const found = useData("doctor", () => client.doctor())
  const checks = found.data?.checks ?? []
  const bad = checks.filter(({ ok }) => !ok)
  const about =
    found.data === undefined
      ? "Looking …"
      : bad.length === 0
        ? "No problems found."
        : `${count(bad.length, "thing")} to look at.`
  return (
    <div className="page">
      <Head title="Doctor" about={about}>
        <Button onClick={found.reload}>Look again</Button>
      </Head>
      {found.data === undefined ? (
        <Waiting error={found.error} reload={found.reload} />
      ) : (
        <Card>
          {[...bad, ...checks.filter(({ ok }) => ok)].map((check) => (
            <div key={`${check.id} ${check.message}`} className="check">
              <Badge tone={check.ok ? "good" : check.severity === "error" ? "bad" : "warn"}>
                {check.ok ? "ok" : check.severity}
              </Badge>
              <strong>{check.id}</strong>
              <span className="text">
                <Marked text={plain(check.message)} />{" "}
                {check.fixHint === "" ? null : <Marked text={check.fixHint} />}
              </span>
            </div>
          ))}
        </Card>
      )}
    </div>
  )
}
