import { useState } from "react"
import type { Answer } from "../../src/api/contract/answers.ts"
import type { SettingJson } from "../../src/api/contract/program-answers.ts"
import { Button, Card, Diff, Head, LoadingPage, Marked, Problem } from "../parts/basics.tsx"
import { Dialog } from "../parts/dialog.tsx"
import { count } from "../parts/words.ts"
import { useActions } from "../state/actions.ts"
import { client } from "../state/client.ts"
import { messageOf, useData } from "../state/use-data.ts"

type Changes = Record<string, string>

/** All settings with their help; changes are shown as a diff before they are written. */
export function Settings() {
  const found = useData("config", () => client.config(), ["config."])
  const [changes, setChanges] = useState<Changes>({})
  const [filter, setFilter] = useState("")
  const [diff, setDiff] = useState<Answer<"configDiff">>()
  const { notify } = useActions()
  if (found.data === undefined)
    return <LoadingPage title="Settings" error={found.error} reload={found.reload} />
  const { settings, file, faults, afterRestart } = found.data
  const asked = Object.entries(changes).map(([key, value]) => ({ key, value }))
  const review = () =>
    client
      .configDiff({ changes: asked })
      .then(setDiff, (error: unknown) => notify({ text: messageOf(error), tone: "bad" }))
  const set = (setting: SettingJson, text: string) => {
    const { [setting.key]: _, ...others } = changes
    setChanges(text === textOf(setting.value) ? others : { ...others, [setting.key]: text })
  }
  return (
    <div className="page">
      <Head title="Settings" about={<span className="mono">{file}</span>}>
        <input
          type="search"
          className="slim"
          aria-label="Find a setting"
          placeholder="Find a setting"
          value={filter}
          onChange={({ target }) => setFilter(target.value)}
        />
      </Head>
      <div className="stack">
        {faults.map((fault) => (
          <div key={fault} className="notice bad">
            <Marked text={fault} />
          </div>
        ))}
        {afterRestart.length > 0 ? (
          <div className="notice warn">
            The daemon uses {afterRestart.join(", ")} after <code>reverie restart</code>.
          </div>
        ) : null}
        <Tables
          settings={settings.filter((setting) => matches(setting, filter))}
          changes={changes}
          set={set}
        />
        {asked.length > 0 ? (
          <div className="sticky-foot">
            <span className="grow">{count(asked.length, "change")}, not written yet.</span>
            <Button kind="plain" onClick={() => setChanges({})}>
              Discard
            </Button>
            <Button kind="primary" onClick={() => void review()}>
              Show the difference
            </Button>
          </div>
        ) : null}
      </div>
      {diff ? (
        <Write
          diff={diff}
          changes={asked}
          onClose={() => setDiff(undefined)}
          onDone={() => {
            setDiff(undefined)
            setChanges({})
            found.reload()
          }}
        />
      ) : null}
    </div>
  )
}

function matches({ key, help }: SettingJson, words: string): boolean {
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => `${key} ${help}`.toLowerCase().includes(word))
}

/** A value as it is typed. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value)
}

interface TablesProps {
  settings: Answer<"config">["settings"]
  changes: Changes
  set(setting: SettingJson, text: string): void
}

function Tables({ settings, changes, set }: TablesProps) {
  const tables = [...Map.groupBy(settings, ({ table }) => table)]
  if (tables.length === 0) return <div className="empty">No setting matches these words.</div>
  return (
    <>
      {tables.map(([table, ofTable]) => (
        <Card key={table} title={<span className="mono">[{table}]</span>}>
          {ofTable.map((setting) => (
            <div key={setting.key} className={`setting ${setting.key in changes ? "changed" : ""}`}>
              <div>
                <h3 className="mono" id={`setting-${setting.key}`}>
                  {setting.key.slice(table.length + 1)}
                </h3>
                <p>
                  <Marked text={setting.help} />
                </p>
                <p className="faint small">
                  It must be {setting.expects}. The default is{" "}
                  <code>{textOf(setting.default) === "" ? "empty" : textOf(setting.default)}</code>.{" "}
                  {setting.project}
                </p>
              </div>
              <Field setting={setting} text={changes[setting.key] ?? textOf(setting.value)} set={set} />
            </div>
          ))}
        </Card>
      ))}
    </>
  )
}

function Field({ setting, text, set }: { setting: SettingJson; text: string; set: TablesProps["set"] }) {
  const common = { "aria-labelledby": `setting-${setting.key}`, value: text }
  if (typeof setting.default === "boolean")
    return (
      <select {...common} onChange={({ target }) => set(setting, target.value)}>
        <option>true</option>
        <option>false</option>
      </select>
    )
  return (
    <input {...common} type="text" spellCheck={false} onChange={({ target }) => set(setting, target.value)} />
  )
}

interface WriteProps {
  diff: Answer<"configDiff">
  changes: { key: string; value: string }[]
  onClose(): void
  onDone(): void
}

function Write({ diff, changes, onClose, onDone }: WriteProps) {
  const { notify } = useActions()
  const [problem, setProblem] = useState<string>()
  const write = () =>
    client.configWrite({ changes, digest: diff.digest }).then(
      ({ keys }) => {
        notify({
          text: `Wrote ${keys.join(", ")}. The daemon uses it after \`reverie restart\`.`,
          tone: "good",
        })
        onDone()
      },
      (error: unknown) => setProblem(messageOf(error)),
    )
  return (
    <Dialog title="Write this to the file?" onClose={onClose}>
      <span className="mono faint">{diff.file}</span>
      <Diff lines={diff.diff.length === 0 ? ["nothing changes"] : diff.diff} />
      {problem ? <Problem text={problem} /> : null}
      <div className="buttons">
        <Button kind="primary" onClick={() => void write()}>
          Write it
        </Button>
        <Button kind="plain" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </Dialog>
  )
}
