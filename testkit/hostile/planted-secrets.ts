import type { Random } from "../../src/base/random.ts"
import {
  base62,
  base64,
  base64url,
  createDraw,
  type Draw,
  digits,
  hex,
  letters,
  lower,
  upper,
} from "../draw.ts"
import { typedAndTold } from "./planted-kinds.ts"

/** A text with a secret in it that must never be kept. */
export interface PlantedSecret {
  kind: string
  /** What must not be found anywhere afterwards. */
  secret: string
  text: string
}

/** A prefix in pieces, so that this file itself looks harmless to every scanner. */
const joined = (...parts: string[]) => parts.join("")

/** Tokens that are told by their own form, whatever stands around them. */
const tokens: Record<string, (draw: Draw) => string> = {
  "github-token": (d) => joined("gh", d.pick(["p", "o", "u", "s", "r"]), "_", d.text(base62, 36)),
  "github-fine-grained": (d) => joined("github", "_pat_", d.text(base62, 22), "_", d.text(base62, 59)),
  "gitlab-token": (d) => joined("gl", "pat-", d.text(base64url, 20)),
  "aws-access-key": (d) => joined("AK", "IA", d.text(upper + "234567", 16)),
  "google-api-key": (d) => joined("AI", "za", d.text(base64url, 35)),
  "google-oauth-secret": (d) => joined("GOC", "SPX-", d.text(base64url, 28)),
  "slack-token": (d) =>
    joined("xo", "xb-", d.text(digits, 12), "-", d.text(digits, 13), "-", d.text(base62, 24)),
  "slack-webhook": (d) =>
    joined(
      "https://hooks.sl",
      "ack.com/services/T",
      d.text(upper, 8),
      "/B",
      d.text(upper, 10),
      "/",
      d.text(base62, 24),
    ),
  "stripe-key": (d) => joined("sk", "_live_", d.text(base62, 24)),
  "openai-key": (d) => joined("sk", "-proj-", d.text(base64url, 64)),
  "openai-legacy-key": (d) => joined("sk", "-", d.text(base62, 48)),
  "anthropic-key": (d) => joined("sk", "-ant-api03-", d.text(base64url, 93), "AA"),
  "openrouter-key": (d) => joined("sk", "-or-v1-", d.text(hex, 64)),
  "groq-key": (d) => joined("gs", "k_", d.text(base62, 52)),
  "huggingface-token": (d) => joined("h", "f_", d.text(letters, 34)),
  "npm-token": (d) => joined("np", "m_", d.text(base62, 36)),
  "pypi-token": (d) => joined("py", "pi-AgEIcHlwaS5vcmc", d.text(base64url, 80)),
  "docker-token": (d) => joined("dckr", "_pat_", d.text(base64url, 27)),
  "discord-token": (d) => joined("M", d.text(base62, 23), ".", d.text(base62, 6), ".", d.text(base64url, 38)),
  "discord-webhook": (d) =>
    joined("https://disc", "ord.com/api/webhooks/", d.text("123456789", 18), "/", d.text(base64url, 68)),
  "telegram-token": (d) => joined(d.text("123456789", 10), ":A", "A", d.text(base64url, 33)),
  "sendgrid-key": (d) => joined("S", "G.", d.text(base64url, 22), ".", d.text(base64url, 43)),
  "twilio-key": (d) => joined("S", "K", d.text(hex, 32)),
  "mailgun-key": (d) => joined("ke", "y-", d.text(hex, 32)),
  "digitalocean-token": (d) => joined("do", "p_v1_", d.text(hex, 64)),
  "databricks-token": (d) => joined("da", "pi", d.text(hex, 32)),
  "vault-token": (d) => joined("hv", "s.", d.text(base64url, 95)),
  "shopify-token": (d) => joined("shp", "at_", d.text(hex, 32)),
  "linear-key": (d) => joined("lin", "_api_", d.text(base62, 40)),
  "notion-token": (d) => joined("nt", "n_", d.text(base62, 46)),
  "supabase-key": (d) => joined("sb", "p_", d.text(hex, 40)),
  "grafana-token": (d) => joined("gl", "sa_", d.text(base62, 32), "_", d.text(hex, 8)),
  "tailscale-key": (d) => joined("ts", "key-auth-", d.text(base62, 12), "-", d.text(base62, 32)),
  "azure-ad-secret": (d) => joined(d.text(base62, 3), d.text(digits, 1), "Q", "~", d.text(base62, 34)),
  jwt: (d) =>
    joined("ey", "JhbGciOiJIUzI1NiJ9", ".", "ey", "Jz", d.text(base64url, 60), ".", d.text(base64url, 43)),
  "password-hash": (d) => joined("$2", "b$12$", d.text(base62 + "./", 53)),
  "age-key": (d) => joined("AGE-SECRET", "-KEY-1", d.text(upper + digits, 58)),
}

/** Secrets that only what stands around them gives away. The carrier belongs to them. */
const announced: Record<string, (draw: Draw) => { secret: string; carrier: string }> = {
  "assigned-password": (d) => carried(password(d), d.pick(assignments)(d.pick(passwordNames))),
  "spoken-password": (d) => carried(password(d), d.pick(sentences)),
  "assigned-key": (d) => carried(d.text(base62, d.number(20, 40)), d.pick(assignments)(d.pick(keyNames))),
  "hex-key": (d) =>
    carried(
      d.text(hex, d.pick([32, 40, 64])),
      d.pick(assignments)(d.pick(["API_KEY", "api_key", "client_secret"])),
    ),
  "spoken-token": (d) => carried(d.text(base62, d.number(24, 40)), d.pick(tokenSentences)),
  "aws-secret-key": (d) =>
    carried(
      d.text(base64, 40),
      d.pick(["aws_secret_access_key = ?", 'AWS_SECRET_ACCESS_KEY="?"', "secretAccessKey: '?'"]),
    ),
  "azure-account-key": (d) =>
    carried(
      `${d.text(base64, 86)}==`,
      "DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=?;EndpointSuffix=core.windows.net",
    ),
  "url-password": (d) => carried(urlPassword(d), d.pick(urls)),
  "bearer-header": (d) => carried(d.text(base64url, d.number(24, 60)), d.pick(headers)),
  "basic-header": (d) =>
    carried(
      Buffer.from(`deploy:${password(d)}`).toString("base64"),
      d.pick(["Authorization: Basic ?", 'curl -H "Authorization: Basic ?" https://ci.acme.dev']),
    ),
  "command-password": (d) =>
    carried(
      urlPassword(d),
      d.pick([
        "curl -u deploy:? https://ci.acme.dev/job/build",
        "wget --user admin --password=? https://files.acme.dev/a.tgz",
        "mysql -h db1 -u root -p? billing",
      ]),
    ),
  "typed-password": (d) => carried(password(d), d.pick(typed)),
  "changed-password": (d) => {
    const secret = password(d)
    return carried(
      secret,
      d.pick(changes).replace("OTHER", () => password(d)),
    )
  },
  "foreign-password": (d) => carried(password(d), d.pick(foreign)),
  "wifi-key": (d) => carried(password(d), d.pick(wifi)),
  "capitals-password": (d) =>
    carried(
      `${d.text(upper, 1)}${d.text(lower, 5)}${d.text(upper, d.number(2, 4))}${d.text(lower, 1)}!`,
      d.pick(["The router's password is ?", "Das Passwort für den Router lautet ?", "password: ?"]),
    ),
  "connection-string": (d) =>
    carried(
      urlPassword(d),
      d.pick([
        "Server=db1;Database=billing;User Id=app;Password=?;Encrypt=true",
        "host=db1 user=app password=? dbname=billing",
      ]),
    ),
  cookie: (d) =>
    carried(
      d.text(base62, 40),
      d.pick(["Cookie: session=?; theme=dark", "Set-Cookie: sid=?; HttpOnly; Path=/"]),
    ),
  "xml-password": (d) => carried(urlPassword(d), "<server><id>nexus</id><password>?</password></server>"),
  "heroku-key": (d) =>
    carried([8, 4, 4, 4, 12].map((length) => d.text(hex, length)).join("-"), "export HEROKU_API_KEY=?"),
}

function carried(secret: string, carrier: string) {
  return { secret, carrier: carrier.replace("?", () => secret) }
}

/** A password as people make them: a word or two, digits and a sign. */
function password(d: Draw): string {
  const word = d.text("bcdfgklmnprst", 1).toUpperCase() + d.text("aeiou", 1) + d.text(lower, d.number(3, 6))
  return (
    word +
    d.pick(["!", "#", "-", "_", "$", "&", "*", "?"]) +
    d.text(digits, d.number(2, 4)) +
    d.text(letters, 2)
  )
}

function urlPassword(d: Draw): string {
  return d.text(letters, 2) + d.text(digits, 2) + d.text(base62, d.number(6, 14)) + d.text(digits, 1)
}

const typed = [
  "echo ? | sudo -S systemctl restart nginx",
  "htpasswd -b users.txt admin ?",
  "sshpass -p ? ssh root@box1 uptime",
  "docker login -u deploy -p ? registry.acme.dev",
  "openssl rsa -in sealed.txt -passin pass:? -out open.txt",
  "net use Z: \\\\files\\share /user:deploy ?",
  "unzip -P ? backup.zip",
  "PGPASSWORD='?' psql -h db1 billing",
]
const changes = [
  "The password was changed from ? to OTHER last week.",
  "The password was changed from OTHER to ? last week.",
  "Das Passwort wurde von ? auf OTHER geändert.",
  "password for the billing db - ?",
  "The admin passwords are OTHER and ? since May.",
  "Use ? as the password of the staging box.",
]
const foreign = [
  "Der API-Schlüssel lautet ?",
  "Mein Kennwort beim Server heißt ?",
  "Le mot de passe du routeur est ?",
  "La contraseña del servidor es ?",
  "La password del server è ?",
  "A senha do servidor é ?",
  "Het wachtwoord van de server is ?",
]
const wifi = ["the wifi key is ?", "Der WLAN-Schlüssel ist ?", "WPA key: ?", "La clave del wifi es ?"]

const passwordNames = [
  "password",
  "DB_PASSWORD",
  "adminPassword",
  "passwd",
  "redis_pwd",
  "passphrase",
  "MYSQL_ROOT_PASSWORD",
]
const keyNames = [
  "API_KEY",
  "apiKey",
  "client_secret",
  "ACCESS_TOKEN",
  "authToken",
  "signing_key",
  "x-api-key",
  "SECRET_KEY",
  "webhookSecret",
]
const assignments: readonly ((name: string) => string)[] = [
  (name) => `${name} = "?"`,
  (name) => `${name}: '?'`,
  (name) => `{"user": "app", "${name}": "?", "retries": 3}`,
  (name) => `export ${name}="?"`,
  (name) => `${name}=?`,
  (name) => `const ${name.replaceAll("-", "")} = '?'`,
  (name) => `services:\n  web:\n    ${name}: "?"`,
  (name) => `[database]\n${name} = '?'\nport = 5432`,
  (name) => `log {\\"${name}\\":\\"?\\",\\"ok\\":true}`,
  (name) => `| ${name} | ? |`,
]
const sentences = [
  "the password is ?",
  "The staging password for the billing database is ? now",
  "Log in as admin, password: ?",
  'the password is "?" until Friday',
  "use the password `?` for the VPN",
  "Das Passwort lautet ?",
  "we changed the root password to ?",
]
const tokenSentences = [
  "my token: ?",
  "The API key for the weather service is ?",
  "use the access token ? in CI",
  "the deploy token is `?`",
  "here is the secret: ?",
  "? is the API key",
]
const urls = [
  "postgres://app:?@db.prod.acme.io:5432/billing",
  "redis://:?@cache.acme.io:6379/0",
  "https://deploy:?@git.acme.dev/team/app.git",
  "mongodb+srv://admin:?@cluster0.acme.mongodb.net/app?retryWrites=true",
  "amqp://worker:?@mq.acme.io",
]
const headers = [
  "Authorization: Bearer ?",
  'curl -H "Authorization: Bearer ?" https://api.acme.dev',
  "'Authorization': 'Bearer ?'",
  "authorization=Bearer ?",
]

/** What a secret is quoted in: prose, code, logs, JSON, shell. */
const carriers: readonly ((what: string) => string)[] = [
  (what) => `The release job of the billing service uses ${what} and nobody rotated it since spring.`,
  (what) => `Remember for later: ${what}`,
  (what) => `const client = createClient({ region: "eu", value: "${what}" }) // see src/net/client.ts`,
  (what) => `2026-11-02T10:14:03.221Z ERROR worker-3 request failed with ${what} after 3 attempts`,
  (what) => `{"service": "billing", "value": "${what}", "retries": 3}`,
  (what) => `export CI_VALUE=${what} && make release`,
  (what) => `deploy:\n  environment: production\n  value: ${what}\n  replicas: 2`,
  (what) => `Run \`deploy --with ${what}\` from the repository root.`,
  (what) => `curl https://api.acme.dev/v1/builds?value=${what}`,
]

/** Carriers for what already stands in a sentence or a line of its own. */
const frames: readonly ((what: string) => string)[] = [
  (what) => `How the billing service is set up:\n${what}\nRestart the workers afterwards.`,
  (what) => `Found while debugging the nightly build: ${what}`,
  (what) => `${what}\n(from the onboarding notes of the infrastructure team)`,
]

/** Texts with one secret each, every kind in turn; the same for the same randomness. */
export function plantSecrets(random: Random, count: number): PlantedSecret[] {
  const draw = createDraw(random)
  const makers: readonly (() => PlantedSecret)[] = [
    ...Object.entries(tokens).map(([kind, make]) => () => {
      const secret = make(draw)
      return { kind, secret, text: draw.pick(carriers)(secret) }
    }),
    ...Object.entries(announced).map(([kind, make]) => () => {
      const { secret, carrier } = make(draw)
      return { kind, secret, text: draw.pick(frames)(carrier) }
    }),
    ...Object.entries(typedAndTold).map(([kind, make]) => () => {
      const { secret, text } = make(draw)
      return { kind, secret, text: draw.pick(frames)(text) }
    }),
    () => privateKey(draw),
    () => cutPrivateKey(draw),
    () => wrappedToken(draw),
  ]
  return Array.from({ length: count }, (_, index) => {
    const make = makers[index % makers.length]
    if (make === undefined) throw new RangeError("there is nothing to plant")
    return make()
  })
}

function keyBody(draw: Draw): string[] {
  return Array.from({ length: 12 }, () => draw.text(base64, 64))
}

function privateKey(draw: Draw): PlantedSecret {
  const name = draw.pick(["RSA ", "EC ", "OPENSSH ", "", "ENCRYPTED "])
  const body = keyBody(draw)
  const lineEnd = draw.pick(["\n", "\\n"])
  const key = [
    `-----${"BEGIN"} ${name}PRIVATE KEY-----`,
    ...body,
    `-----${"END"} ${name}PRIVATE KEY-----`,
  ].join(lineEnd)
  return {
    kind: "private-key",
    secret: body[5] ?? "",
    text: `The deploy host of the billing service has this key: ${key} since May`,
  }
}

function cutPrivateKey(draw: Draw): PlantedSecret {
  const body = keyBody(draw)
  const key = [
    `-----${"BEGIN"} RSA PRIVATE KEY-----`,
    ...body.slice(0, 4),
    (body[4] ?? "").slice(0, 30),
  ].join("\n")
  return {
    kind: "cut-private-key",
    secret: body[3] ?? "",
    text: `Output of the deploy script (truncated by the terminal):\n${key}`,
  }
}

function wrappedToken(draw: Draw): PlantedSecret {
  const name = draw.pick(["github-token", "openai-key", "anthropic-key", "npm-token", "stripe-key"])
  const token = tokens[name]?.(draw) ?? ""
  const at = draw.number(10, token.length - 10)
  const [head, tail] = [token.slice(0, at), token.slice(at)]
  const text = draw.pick([`${head}\n${tail}`, `"${head}" +\n  "${tail}"`, `${head}\\\n    ${tail}`])
  return {
    kind: "wrapped-token",
    secret: tail,
    text: `The build printed it over two lines:\n${text}\nbefore it failed.`,
  }
}

/** Personal data, each in a sentence; found unless it is to be kept. */
export function plantPersonalData(random: Random, count: number): PlantedSecret[] {
  const draw = createDraw(random)
  const makers: readonly [string, () => string][] = [
    [
      "email",
      () =>
        `${draw.text(lower, 6)}.${draw.text(lower, 7)}@${draw.text(lower, 8)}.${draw.pick(["com", "de", "io", "co.uk"])}`,
    ],
    ["phone", () => `+49 ${draw.text("123456789", 3)} ${draw.text(digits, 7)}`],
    ["us-phone", () => `(${draw.text("2345678", 3)}) ${draw.text("2345678", 3)}-${draw.text(digits, 4)}`],
    ["payment-card", () => groupsOf(withLuhn(`4${draw.text(digits, 14)}`), 4, draw.pick([" ", "-", ""]))],
    ["iban", () => groupsOf(iban("DE", draw.text(digits, 18)), 4, draw.pick([" ", ""]))],
    ["us-ssn", () => `${draw.text("12345", 3)}-${draw.text("123456789", 2)}-${draw.text("123456789", 4)}`],
  ]
  return Array.from({ length: count }, (_, index) => {
    const [kind, make] = makers[index % makers.length] ?? ["", () => ""]
    const secret = make()
    const text = draw.pick([
      `The customer of the Hamburg office (${secret}) wants invoices as PDF.`,
      `Ask our contact ${secret} about the billing migration.`,
      `{"customer": "C-7", "detail": "${secret}", "plan": "team"}`,
    ])
    return { kind, secret, text }
  })
}

function withLuhn(start: string): string {
  const sum = Array.from(start)
    .reverse()
    .reduce((total, digit, place) => {
      const value = Number(digit) * (place % 2 === 0 ? 2 : 1)
      return total + (value > 9 ? value - 9 : value)
    }, 0)
  return start + String((10 - (sum % 10)) % 10)
}

function iban(country: string, account: string): string {
  const numeric = Array.from(`${account}${country}00`, (sign) => Number.parseInt(sign, 36)).join("")
  return `${country}${String(98n - (BigInt(numeric) % 97n)).padStart(2, "0")}${account}`
}

function groupsOf(text: string, size: number, separator: string): string {
  return (text.match(new RegExp(`.{1,${size}}`, "g")) ?? []).join(separator)
}
