import { execFileSync } from "node:child_process"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

/** A small shop as it was, and as it became: what memories of it were true once and what is true now. */

const files = (names: string, body: (name: string) => string) =>
  Object.fromEntries(
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, body(name)]),
  )

/** The symbols each file defines; what is not named here has one made of its name. */
const symbols: Record<string, string[]> = {
  "src/cart/cart-store.ts": ["CartStore", "addToCart", "MAX_CART_ITEMS"],
  "src/cart/discounts.ts": ["applyDiscount", "DiscountRule"],
  "src/checkout/payment.ts": ["PaymentGateway", "chargeCard"],
  "src/checkout/shipping.ts": ["calculateShipping", "ShippingZone"],
  "src/auth/session.ts": ["SessionManager", "createSession", "SESSION_TTL_SECONDS"],
  "src/auth/tokens.ts": ["signToken", "verify_token"],
  "src/lib/http.ts": ["fetchJson", "HttpError"],
  "src/lib/money.ts": ["formatMoney", "parseMoney"],
  "src/lib/dates.ts": ["formatDate", "parseIsoDate"],
  "src/api/routes/orders.ts": ["listOrders", "OrderController"],
  "src/api/routes/products.ts": ["listProducts", "ProductController"],
  "src/workers/mailer.ts": ["sendMail", "MailQueue"],
  "src/workers/reindex.ts": ["rebuildIndex", "SearchIndexer"],
  "src/legacy/soap-client.ts": ["SoapClient", "callSoap"],
  "src/utils/slugify.ts": ["slugify_title", "SlugOptions"],
  "src/utils/retry.ts": ["withRetry", "RetryPolicy"],
  "src/config/env.ts": ["loadEnv", "PAYMENT_API_KEY"],
  "src/config/flags.ts": ["isFlagOn", "FeatureFlags"],
}

function bodyOf(name: string): string {
  const own = symbols[name] ?? [`module_${name.replaceAll(/\W+/g, "_")}`]
  const lines = own.map((symbol, index) => {
    if (/^[A-Z][A-Z0-9_]+$/.test(symbol)) return `export const ${symbol} = ${index + 10}`
    if (/^[A-Z]/.test(symbol))
      return `export class ${symbol} {\n  readonly origin = ${JSON.stringify(name)}\n}`
    return `export function ${symbol}(input: string): string {\n  return input + ${JSON.stringify(`${name} ${index}`)}\n}`
  })
  return `// ${name}\n${lines.join("\n\n")}\n`
}

const first = files(
  `src/cart/cart-store.ts src/cart/discounts.ts src/checkout/payment.ts src/checkout/shipping.ts src/auth/session.ts
  src/auth/tokens.ts src/lib/http.ts src/lib/money.ts src/lib/dates.ts src/api/routes/orders.ts src/api/routes/products.ts
  src/workers/mailer.ts src/workers/reindex.ts src/legacy/soap-client.ts src/legacy/xml.ts src/utils/slugify.ts
  src/utils/retry.ts src/config/env.ts src/config/flags.ts src/server.ts src/router.ts src/components/Header.tsx
  src/components/Footer.tsx src/components/ProductCard.tsx src/components/PriceTag.tsx src/pages/home.tsx
  src/pages/checkout.tsx src/styles/theme.css src/styles/legacy.css test/cart.test.ts test/checkout.test.ts
  test/helpers/fake-gateway.ts test/fixtures-old/orders.json scripts/seed.ts scripts/backfill.ts scripts/import-products.py
  docs/setup.md docs/deploy.md db/schema.sql db/migrations/001_init.sql db/migrations/002_orders.sql .github/workflows/ci.yml
  .github/workflows/nightly.yml docker-compose.yml Dockerfile infra/main.tf infra/queues.tf config/default.yaml
  config/staging.yaml webpack.config.js jest.config.js .eslintrc.json tsconfig.json`,
  bodyOf,
)

function manifest(dependencies: object, devDependencies: object, scripts: Record<string, string>): string {
  const file = {
    name: "shop",
    private: true,
    scripts,
    engines: { node: ">=18" },
    dependencies,
    devDependencies,
  }
  return `${JSON.stringify(file, null, 2)}\n`
}

const scripts = {
  build: "webpack",
  test: "jest",
  lint: "eslint .",
  format: "prettier -w .",
  e2e: "cypress run",
  storybook: "start-storybook",
  typecheck: "tsc --noEmit",
  "db:migrate": "node scripts/migrate.js",
  "db:reset": "node scripts/reset.js",
  release: "standard-version",
  start: "node dist/server.js",
  "bundle:analyze": "webpack --profile",
}
const dependencies = {
  react: "^17.0.2",
  express: "^4.18.0",
  axios: "^0.27.0",
  moment: "^2.29.0",
  lodash: "^4.17.21",
  redux: "^4.2.0",
  zod: "^3.20.0",
  pino: "^8.0.0",
  knex: "^2.4.0",
  "node-fetch": "^2.6.0",
  uuid: "^9.0.0",
  stripe: "^11.0.0",
  bullmq: "^3.0.0",
  nodemailer: "^6.9.0",
}
const devDependencies = {
  typescript: "~5.2.2",
  jest: "^29.0.0",
  webpack: "^5.80.0",
  eslint: "^8.40.0",
  prettier: "^2.8.0",
  cypress: "^12.0.0",
  tailwindcss: "^3.3.0",
  "@types/node": "^18.0.0",
}
const makefile = (...targets: string[]) =>
  `.PHONY: ${targets.join(" ")}\n\n${targets.map((name) => `${name}:\n\t./run ${name}\n`).join("\n")}`
const python = (pydantic: string, more: string) => `[project]
name = "pricing"
requires-python = ">=3.11"
dependencies = [
  "fastapi==0.100.0",
  "pydantic==${pydantic}",
${more}]
`

type Step = (at: {
  write(files: Record<string, string>): void
  move(from: string, to: string): void
  remove(...paths: string[]): void
}) => void

const steps: Step[] = [
  ({ write }) =>
    write({
      ...first,
      "package.json": manifest(dependencies, devDependencies, scripts),
      Makefile: makefile("deploy", "migrate", "seed", "docs", "proto", "bootstrap"),
      ".nvmrc": "18\n",
      "services/pricing/pyproject.toml": python("1.10.0", '  "celery==5.2.0",\n  "requests==2.31.0",\n'),
      "services/pricing/.python-version": "3.11\n",
      "services/pricing/app.py":
        "def compute_price(order):\n    return order\n\nclass PriceEngine:\n    pass\n",
    }),
  ({ move }) => {
    move("src/lib/http.ts", "src/lib/http-client.ts")
    move("src/server.ts", "src/main.ts")
    move("src/components/PriceTag.tsx", "src/components/price/PriceTag.tsx")
  },
  ({ remove }) =>
    remove("src/legacy", "src/styles/legacy.css", "test/fixtures-old", ".github/workflows/nightly.yml"),
  ({ move, write }) => {
    move("src/utils", "src/shared")
    move("webpack.config.js", "vite.config.ts")
    write({ "src/shared/clamp.ts": bodyOf("src/shared/clamp.ts") })
  },
  ({ move, remove }) => {
    move("src/pages", "src/screens")
    move("db/migrations", "migrations")
    remove(
      "scripts/backfill.ts",
      "scripts/import-products.py",
      "infra/queues.tf",
      "config/staging.yaml",
      "docs/deploy.md",
    )
  },
  ({ write, remove }) => {
    const { moment, lodash, redux, "node-fetch": nodeFetch, axios, ...kept } = dependencies
    const { jest, webpack, cypress, prettier, ...tools } = devDependencies
    const { e2e, storybook, release, "bundle:analyze": analyze, "db:reset": reset, format, ...left } = scripts
    remove("jest.config.js", ".eslintrc.json")
    write({
      "package.json": manifest(
        {
          ...kept,
          react: "^19.0.0",
          express: "^5.1.0",
          zod: "^4.0.0",
          stripe: "^17.0.0",
          zustand: "^5.0.0",
          dayjs: "^1.11.0",
        },
        {
          ...tools,
          typescript: "~5.9.2",
          vitest: "^3.0.0",
          vite: "^7.0.0",
          eslint: "^9.0.0",
          tailwindcss: "^4.0.0",
          "@biomejs/biome": "^2.0.0",
          "@types/node": "^22.0.0",
        },
        { ...left, build: "vite build", test: "vitest run" },
      ),
      ".nvmrc": "22\n",
      Makefile: makefile("deploy", "migrate", "seed", "lint"),
      "services/pricing/pyproject.toml": python("2.7.0", '  "httpx==0.27.0",\n'),
      "services/pricing/.python-version": "3.12\n",
      "services/pricing/app.py":
        "def quote_price(order):\n    return order\n\nclass PricingService:\n    pass\n",
    })
  },
  ({ write }) =>
    write({
      "src/cart/discounts.ts":
        "export class PromotionEngine {}\n\nexport function applyPromotion(cart: string) {\n  return cart\n}\n",
      "src/checkout/payment.ts":
        "export class StripeGateway {}\n\nexport function chargeCard(card: string) {\n  return card\n}\n",
      "src/auth/tokens.ts":
        "export function issueToken(user: string) {\n  return user\n}\n\nexport function verify_token(token: string) {\n  return token\n}\n",
      "src/auth/session.ts": "export class SessionManager {}\n\nexport const SESSION_LIFETIME = 60\n",
      "src/workers/reindex.ts": "export function reindexAll(what: string) {\n  return what\n}\n",
      "src/config/flags.ts": "export function hasFlag(name: string) {\n  return name\n}\n",
      "src/lib/dates.ts": "export function formatDate(date: string) {\n  return date\n}\n",
      "src/api/routes/orders.ts":
        "export function searchOrders(query: string) {\n  return query\n}\n\nexport class OrderController {}\n",
      "CHANGELOG.md":
        "# Changes\n\n- PaymentGateway, signToken(), createSession and DiscountRule are gone.\n",
    }),
]

/** Builds the repository with its history in an empty folder. */
export function buildShop(folder: string): void {
  const git = (...args: string[]) => {
    const identity = [
      "-c",
      "user.name=Bench",
      "-c",
      "user.email=bench@example.invalid",
      "-c",
      "commit.gpgsign=false",
    ]
    execFileSync("git", ["-C", folder, ...identity, ...args], { stdio: "pipe" })
  }
  git("init", "-b", "main")
  const write = (all: Record<string, string>) => {
    for (const [path, text] of Object.entries(all)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
  }
  const move = (from: string, to: string) => {
    mkdirSync(dirname(join(folder, to)), { recursive: true })
    git("mv", from, to)
  }
  const remove = (...paths: string[]) => {
    for (const path of paths) rmSync(join(folder, path), { recursive: true })
  }
  for (const [index, step] of steps.entries()) {
    step({ write, move, remove })
    git("add", "-A")
    git("commit", "-m", `step ${index + 1}`)
  }
}
