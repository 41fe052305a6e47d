import type { Clause } from "../../../language/read/clauses.ts"

const call = /^([A-Za-z_$][\w$]*(?:(?:\.|::|#)[A-Za-z_$][\w$]*)*)\(\.{0,3}\)$/
const identifier = /^[A-Za-z_$][\w$]*$/
/** Names that nobody writes in prose: two words in one, with a hump or an underscore. */
const joined =
  /^(?:_*[a-z][a-z0-9]*(?:[A-Z][a-z0-9]*)+|_*(?:[A-Z][a-z0-9]+){2,}[A-Z]?|_*[a-z0-9]+(?:_[a-z0-9]+)+|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)$/
const inProse =
  /(?<![\w./@`-])(?:[A-Za-z_][\w]*\(\)|[a-z][a-z0-9]*(?:[A-Z][a-z0-9]+)+|(?:[A-Z][a-z0-9]+){2,}|[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+)(?![\w/@-])(?!\.\w)/g

/** Names of things everybody knows, which code may mention without defining them. */
const wellKnown = new Set(
  `TypeScript JavaScript CoffeeScript GitHub GitLab BitBucket PostgreSQL MySQL MariaDB MongoDB DynamoDB GraphQL OpenAI
  OpenAPI ChatGPT DeepSeek HuggingFace LangChain DevOps WebSocket WebSockets WebAssembly YouTube LinkedIn IntelliJ
  WebStorm PyCharm VSCode CircleCI TeamCity CloudFront CloudFormation CloudFlare CloudWatch PagerDuty SendGrid StackOverflow
  NodeJS NextJS NestJS ReactJS VueJS iOS macOS iPhone iPad eBay PayPal FastAPI NumPy PyTorch TensorFlow SciPy SQLAlchemy
  RabbitMQ ActiveMQ ElasticSearch OpenSearch ClickHouse BigQuery TimescaleDB CockroachDB LocalStack OpenTelemetry DataDog
  NewRelic LaunchDarkly FullStack JetBrains PowerShell WordPress ESLint StyleLint HashiCorp SonarQube DockerHub JUnit
  McDonald DevTools ReadMe PostHog SuperBase`.split(/\s+/),
)

/** The names of functions, classes, constants and variables that a clause names. */
export function symbolsIn(clause: Clause): string[] {
  const found = new Set<string>()
  for (const { text } of clause.spans) {
    const name = symbolOf(text.trim())
    if (name !== undefined) found.add(name)
  }
  for (const [text] of clause.words.matchAll(inProse)) {
    const name = symbolOf(text)
    if (name !== undefined) found.add(name)
  }
  return [...found]
}

function symbolOf(text: string): string | undefined {
  const [, called] = call.exec(text) ?? []
  // Of a.b.c() the last is what can be looked for.
  const name = called?.split(/\.|::|#/).at(-1) ?? text
  if (name.length < 4 || name.length > 80 || !identifier.test(name) || wellKnown.has(name)) return undefined
  return called !== undefined || joined.test(name) ? name : undefined
}
