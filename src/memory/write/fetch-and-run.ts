const fetcher = String.raw`(?:curl|wget|aria2c|fetch|https?ie?|xh|lwp-request|iwr|irm|invoke-webrequest|invoke-restmethod)(?:\.exe)?`
const shell = String.raw`(?:(?:ba|z|da|k|a|fi)?sh|python[\d.]*|perl|ruby|node|deno|bun|php|osascript|pwsh|powershell|source|eval|exec)(?:\.exe)?`
/** Prefixes of a program's name: privileges, environment, folder. */
const before = String.raw`(?:(?:sudo|doas|env|command|exec|nohup|time|xargs)\s+(?:-\S+\s+){0,4})*(?:\w+=\S*\s+){0,4}(?:\/\S{1,60}\/)?`
/** `python -m json.tool` and `node -e …` run their own code, not their input. */
const notOwnCode = String.raw`(?!\s+-[mcen]\b)`
/** The rest of a shell command; bounded, so that matching stays fast. */
const some = String.raw`[^\n|;]{0,300}`

const forms: readonly RegExp[] = [
  // curl … | sh, also over a few more pipes
  new RegExp(
    String.raw`\b${fetcher}\s${some}(?:\|[^\n|;]{0,100}){0,4}\|\s*${before}${shell}\b${notOwnCode}`,
    "i",
  ),
  // bash <(curl …), source <(wget …), . <(curl …)
  new RegExp(String.raw`<\(\s*${before}${fetcher}\s`, "i"),
  // sh -c "$(curl …)", eval "$(wget …)", python -c "$(curl …)", backticks
  new RegExp(String.raw`\b${shell}\b[^\n]{0,60}?(?:\$\(|${"`"})\s*${before}${fetcher}\s`, "i"),
  // iex (iwr …), iwr … | iex
  /\b(?:iex|invoke-expression)\b[^\n]{0,120}\b(?:iwr|irm|curl|wget|invoke-webrequest|invoke-restmethod|downloadstring|webclient)\b/i,
  /\b(?:iwr|irm|curl|wget|invoke-webrequest|invoke-restmethod|downloadstring)\b[^\n]{0,300}\|\s*(?:iex|invoke-expression)\b/i,
  // npx https://…, deno run https://…, pip install git+https://…
  /\b(?:npx|bunx|uvx|pnpx|(?:pnpm|yarn|bun) (?:dlx|x)|deno (?:run|install)|pipx (?:run|install)|pip3? install|go (?:run|install)|npm (?:i|install|exec)|cargo install)\b[^\n]{0,80}(?:https?:\/\/|git\+|git:\/\/|gist:|--git\b)/i,
  // base64 -d … | sh and its like
  new RegExp(
    String.raw`\b(?:base64|base32|xxd|openssl|gunzip|gzip|zcat|rev|tr)\b${some}\|\s*${before}${shell}\b`,
    "i",
  ),
  // exec(urlopen(…)), eval(await fetch(…))
  /\b(?:exec|eval|function)\s?\(.{0,120}(?:urlopen|requests\.get|urllib|fetch\(|http\.get)/i,
  // "download https://… and run it"
  /\b(?:download|fetch|get|grab|pull)\b[^\n]{0,160}https?:\/\/\S{1,200}[^\n]{0,80}\b(?:run|execute|source|launch|pipe)\b/i,
  /\b(?:run|execute|source|pipe)\b[^\n]{0,60}\b(?:script|installer|output|contents?|file)\b[^\n]{0,60}https?:\/\//i,
]

/** Only the beginning of a text is checked; memories are shorter. */
const longestChecked = 20_000

/** Whether texts say to download something and run it unseen, in one step or in several. */
export function fetchesAndRuns(texts: readonly string[]): boolean {
  const text = texts
    .join("\n")
    .slice(0, longestChecked)
    .replaceAll(/\\\n\s*/g, " ")
  return forms.some((form) => form.test(text)) || runsWhatItFetched(text)
}

const savedAs = new RegExp(
  String.raw`\b${fetcher}\s${some}?(?:\s-{1,2}(?:o|output|outfile|output-document)[= ]?\s*|>\s*)["']?(?<file>[\w./~$-]{1,200})`,
  "gi",
)
const address = new RegExp(
  String.raw`\b${fetcher}\s${some}?https?:\/\/[^\s"'|;]{1,300}?\/(?<file>[\w.-]{2,100})(?=["'\s|;]|$)`,
  "gi",
)
const runs = new RegExp(
  String.raw`(?:\b${shell}\s+(?:-\S+\s+){0,4}|\bchmod\s+\S+\s+|\.\s+|\bsudo\s+|\.\/)["']?(?<file>[\w./~$-]{1,200})`,
  "gi",
)

/** A file is downloaded, and one of the same name is run later. */
function runsWhatItFetched(text: string): boolean {
  const fetched = new Set([...text.matchAll(savedAs), ...text.matchAll(address)].map(nameOf))
  fetched.delete("")
  if (fetched.size === 0) return false
  return [...text.matchAll(runs)].some((match) => fetched.has(nameOf(match)))
}

function nameOf({ groups }: RegExpExecArray): string {
  const file = groups?.file?.toLowerCase() ?? ""
  return file.slice(file.lastIndexOf("/") + 1)
}
