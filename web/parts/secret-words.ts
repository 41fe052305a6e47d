/** Names that are written in a way of their own. */
const names: Record<string, string> = {
  "1password": "1Password",
  airtable: "Airtable",
  aws: "AWS",
  azure: "Azure",
  ad: "AD",
  api: "API",
  crates: "crates.io",
  digitalocean: "DigitalOcean",
  env: ".env",
  facebook: "Facebook",
  fly: "Fly.io",
  github: "GitHub",
  gitlab: "GitLab",
  huggingface: "Hugging Face",
  newrelic: "New Relic",
  npm: "npm",
  nuget: "NuGet",
  oauth: "OAuth",
  openai: "OpenAI",
  openrouter: "OpenRouter",
  paypal: "PayPal",
  planetscale: "PlanetScale",
  posthog: "PostHog",
  pypi: "PyPI",
  rubygems: "RubyGems",
  sas: "SAS",
  sendgrid: "SendGrid",
  url: "URL",
  xai: "xAI",
}

/** Kinds that say more in other words. */
const whole: Record<string, string> = {
  "stripe-key": "Stripe secret key",
  "high-entropy": "value that looks random",
  "encoded-login": "login, encoded",
  "env-value": "value of an .env file",
  "netrc-password": "password of a .netrc file",
  "url-password": "password in an address",
  email: "email address",
  iban: "bank account number (IBAN)",
  jwt: "JSON Web Token",
  pin: "PIN",
}

/** First words that are no names. */
const common = new Set([
  "private",
  "recovery",
  "password",
  "licence",
  "wallet",
  "key",
  "secret",
  "personal",
  "age",
  "minisign",
])

/** What a detector found, in words: "github-token" is a "GitHub token". */
function kindWords(kind: string): string {
  const known = whole[kind]
  if (known !== undefined) return known
  const words = kind.split("-").map((word, index) => {
    const named = names[word]
    if (named !== undefined) return named
    return index === 0 && !common.has(word) && kind.includes("-")
      ? word.charAt(0).toUpperCase() + word.slice(1)
      : word
  })
  return words.join(" ")
}

const removed = /\[([a-z0-9]+(?:-[a-z0-9]+)*) removed\]/g
const refused = /\b(a secret|personal data|may not be kept) \(([a-z0-9]+(?:-[a-z0-9]+)*(?:, [a-z0-9-]+)*)/

/** A text in which the names of detectors are words: what was taken out of it, or why it was not kept. */
export function withKindWords(text: string): string {
  return text
    .replaceAll(removed, (_, kind: string) => `[${kindWords(kind)} removed]`)
    .replace(
      refused,
      (_, what: string, kinds: string) => `${what} (${kinds.split(", ").map(kindWords).join(", ")}`,
    )
}
