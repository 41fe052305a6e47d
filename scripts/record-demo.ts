// node scripts/record-demo.ts: runs the demo of the built program and draws docs/images/demo.svg, in which its lines
// come one after the other as on a terminal.
import { execFileSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const columns = 96
const shownLines = 28
const lineHeight = 18
const letterWidth = 8.4
const program = fileURLToPath(new URL("../dist/main.js", import.meta.url))
const target = fileURLToPath(new URL("../docs/images/demo.svg", import.meta.url))

const said = execFileSync(process.execPath, [program, "demo", "--fast", "--remove"], {
  encoding: "utf8",
  stdio: ["ignore", "pipe", "ignore"],
  env: { ...process.env, REVERIE_COMMAND: "reverie" },
})
const lines = said
  .trimEnd()
  .replaceAll(/\/\S*reverie-demo-\w+/g, "/tmp/reverie-demo")
  .split("\n")
  .map((line) => (line.length > columns ? `${line.slice(0, columns - 1)}…` : line))

/** When each line appears, in seconds: what is typed takes longer to come than what is answered. */
const times: number[] = []
let at = 0.5
for (const line of lines) {
  at += line.startsWith("$ ") ? 1.4 : /^\d\. /.test(line) ? 1.6 : 0.12
  times.push(at)
}
const whole = at + 4

const scrolls = lines.map((_, index) => Math.max(0, index + 1 - shownLines) * lineHeight)
const frames = lines.map(
  (_, index) =>
    `${(((times[index] ?? 0) / whole) * 100).toFixed(3)}% { transform: translateY(-${scrolls[index]}px) }`,
)
const texts = lines.map((line, index) => {
  const kind = line.startsWith("$ ") ? "typed" : /^\d\. /.test(line) ? "title" : "said"
  const y = (index + 1) * lineHeight
  const begin = (((times[index] ?? 0) / whole) * 100).toFixed(3)
  const style = `@keyframes l${index} { 0%, ${begin}% { opacity: 0 } ${(Number(begin) + 0.01).toFixed(3)}%, 100% { opacity: 1 } }`
  return {
    style,
    text: `<text class="${kind}" x="14" y="${y}" style="animation: l${index} ${whole.toFixed(1)}s infinite">${escaped(line)}</text>`,
  }
})
const width = Math.round(columns * letterWidth + 28)
const height = shownLines * lineHeight + 24
const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="A terminal in which reverie demo runs">
<style>
text { font: 14px ui-monospace, "DejaVu Sans Mono", Menlo, monospace; fill: #d6deeb; white-space: pre }
.typed { fill: #7fdbca } .title { fill: #ffcb6b; font-weight: bold }
.all { animation: scroll ${whole.toFixed(1)}s infinite step-end }
@keyframes scroll { 0% { transform: translateY(0) } ${frames.join(" ")} }
@media (prefers-reduced-motion: reduce) { text, .all { animation: none !important } }
${texts.map(({ style }) => style).join("\n")}
</style>
<rect width="100%" height="100%" rx="8" fill="#011627"/>
<svg x="0" y="8" width="${width}" height="${height - 16}"><g class="all">
${texts.map(({ text }) => text).join("\n")}
</g></svg>
</svg>
`
mkdirSync(fileURLToPath(new URL("../docs/images", import.meta.url)), { recursive: true })
writeFileSync(target, svg)

function escaped(line: string): string {
  return line.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
}
