/** Names that are not written as words are. */
const spelled: Record<string, string> = {
  "1password": "1Password",
  ad: "AD",
  api: "API",
  aws: "AWS",
  cpf: "CPF",
  crates: "crates.io",
  digitalocean: "DigitalOcean",
  dni: "DNI",
  fly: "Fly.io",
  github: "GitHub",
  gitlab: "GitLab",
  huggingface: "Hugging Face",
  iban: "IBAN",
  newrelic: "New Relic",
  nhs: "NHS",
  npm: "npm",
  nuget: "NuGet",
  oauth: "OAuth",
  openai: "OpenAI",
  openrouter: "OpenRouter",
  paypal: "PayPal",
  pin: "PIN",
  planetscale: "PlanetScale",
  posthog: "PostHog",
  pypi: "PyPI",
  rubygems: "RubyGems",
  sas: "SAS",
  sendgrid: "SendGrid",
  sin: "SIN",
  ssn: "SSN",
  uk: "UK",
  url: "URL",
  us: "US",
  xai: "xAI",
}

/** Kinds whose name alone says too little. */
const told: Record<string, string> = {
  email: "an e-mail address",
  "encoded-login": "an encoded login",
  "env-value": "the value of a secret variable",
  "high-entropy": "a random value",
  jwt: "a JSON Web Token",
  key: "a secret key",
  "netrc-password": "a password of a .netrc file",
  secret: "a secret",
  "url-key": "a key in a URL",
  "url-password": "a password in a URL",
}

/** Words that say what a secret is; what stands before them is somebody's name. */
const things = new Set(
  "token key secret password hash webhook login code words phrase card account auth access origin private recovery seed wallet licence basic bearer encoded payment".split(
    " ",
  ),
)

/** What a detector found, for people: "a Stripe secret key" for `stripe-key`. */
export function kindName(kind: string): string {
  const known = told[kind]
  if (known !== undefined) return known
  const parts = kind.split("-")
  const words = parts.map((word, index) => {
    if (spelled[word] !== undefined) return spelled[word]
    return index === 0 && !things.has(word) ? word.charAt(0).toUpperCase() + word.slice(1) : word
  })
  // A vendor's key without more is its secret key; private and access keys say so themselves.
  const isPlainKey = parts.length === 2 && parts[1] === "key" && !things.has(parts[0] ?? "")
  const name = (isPlainKey ? [words[0], "secret", "key"] : words).join(" ")
  return `${/^(?:[aeio]|AWS|IBAN|NHS|SSN|SIN|npm|xAI)/i.test(name) ? "an" : "a"} ${name}`
}
