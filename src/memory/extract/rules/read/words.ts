/** A text of words as a set. */
function setOf(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/))
}

/** What an agent does for its user: the verbs of rules about work, not of what a program shall do. */
export const workVerbs = setOf(`
  print use write run put add keep ask check name call tag make prefer avoid include format commit squash rebase merge test
  document explain answer push pull deploy release ship build edit touch change modify delete remove store log mock stub
  import install bump upgrade pin update create generate refactor rename move copy lint typecheck type-check uppercase
  lowercase indent sort-imports validate escape sanitize hardcode hard-code expose share force-push cherry-pick amend
  open close review approve read follow start begin stick link mention cite respect apply rm truncate drop migrate seed
  export wrap split inline extract declare annotate comment skip disable enable suppress ignore swallow catch throw-away
  reuse quote sign verify confirm notify tell inform assume guess invent leave set specify pass prefix suffix abbreviate
  translate respond reply speak summarize summarise look consult search reference auto-format autoformat reformat
  parameterize parameterise quote vendor fork clone publish announce schedule book plan estimate track report record
  initialize initialise instantiate subclass inherit spell capitalize capitalise number group nest return-early
`)

/** Names of tools and techniques that people write in small letters. */
const toolNames = setOf(`
  npm pnpm yarn bun deno node nodejs npx vite vitest jest mocha pytest webpack rollup esbuild swc tsc eslint prettier biome
  ruff black flake8 mypy poetry pip uv conda cargo rustc clippy gradle maven make cmake bazel nx turbo turborepo lerna
  docker podman kubernetes k8s helm terraform ansible pulumi nginx caddy traefik redis postgres postgresql mysql mariadb
  sqlite mongodb mongo dynamodb kafka rabbitmq nats celery sidekiq rails django flask fastapi express fastify hono nest
  nestjs next nextjs nuxt svelte sveltekit vue react angular solid tailwind bootstrap redux zustand mobx graphql grpc rest
  trpc prisma drizzle kysely knex sequelize typeorm git github gitlab bitbucket jenkins circleci buildkite gitflow
  semver typescript javascript python go golang rust java kotlin swift ruby php elixir scala haskell zig c++ c#
  fish zsh bash neovim vim emacs vscode tmux mac macos linux windows ubuntu debian fedora arch nixos
  tabs spaces snake_case camelcase kebab-case pascalcase utc monorepo trunk-based gitmoji conventional-commits
  lodash moment dayjs luxon axios fetch zod pydantic joi yup playwright cypress storybook figma sentry datadog grafana
  prometheus opentelemetry stripe auth0 keycloak okta vault s3 ec2 rds lambda gcp aws azure hetzner fly vercel netlify
  heroku cloudflare supabase firebase orms orm sql nosql css sass less html markdown yaml toml json xml protobuf
`)

/** What a project has for long: a statement about one of these is worth keeping if its value is hard. */
export const stableNouns = setOf(`
  api apis app apps server servers service services database databases db repo repository project monorepo branch staging
  production prod ci cd pipeline queue queues worker workers cache frontend backend sdk cli url urls namespace region
  port ports timeout ttl config configuration settings docs documentation tests suite logs migrations migration-files
  secrets credentials license licence version versions release releases manager owner owners team job jobs cron
  environment environments cluster bucket registry schema locale locales timezone limit limits retention backups backup
  module modules package packages host hosts domain codebase code gateway ui dashboard contact maintainer rotation
  framework linter formatter bundler orm broker proxy vpn firewall dns cdn site website webhook webhooks
  endpoint-prefix prefix scope topic topics stack runtime compiler toolchain target targets platform engine storage
  store files-folder folder directory library libraries component-library tokens flags features scheduler crons daemon
  importer exporter parser lexer tokenizer renderer client clients agent agents bot bots script scripts command
  currency language languages encoding format formats convention conventions style standard process policy guideline
  hooks keys columns tables types names dates times amounts money ids identifiers errors messages commits tickets issues
  prs reviews approvals deploys deployments builds images containers pods machines machine laptop editor shell os length
  size ui-library uptime window windows-of-maintenance schedule sla budget plan tier instance instances templates
  vars variables fixtures snapshots snapshot helpers utilities hook component components pages routes controllers models views
`)

/** Adjectives and the like that tell how something is just now. */
export const passing =
  /\b(?:green|red|flaky|broken|slow|fast|missing|down|up|open|closed|blank|empty|undefined|null|outdated|failing|fails?|failed|crash(?:es|ed|ing)?|fine|wrong|weird|ready|done|gone|stuck|full|dead|busy|already|in use|not working|working now|works|line \d+|number \d+|too|out of|off|slower|faster|running out|available|unavailable|offline|online)\b/i

/** Whether a text has something exact in it: a number, a version, a path, an address, code, or a name. */
export function isExact(text: string): boolean {
  return (
    /`[^`]+`|https?:\/\/|\d|(?:^|\s)[\w.@-]*\/[\w./@*-]+|\b[\w-]+\.(?:[a-z]{2,4}|json|yaml|toml)\b|\b[a-z]+_[a-z_]+\b|@\w/.test(
      text,
    ) || hasName(text)
  )
}

/** Whether it has a capitalised name or the name of a tool, the first word aside. */
export function hasName(text: string): boolean {
  const [, ...rest] = text.split(/\s+/)
  return rest.some((word) => isName(word))
}

/** Whether a word is a name: capitalised, or one of the tools people write small. */
export function isName(word: string): boolean {
  const bare = word.replaceAll(/^[("'`]+|[)"'`,.;:!?]+$/g, "")
  if (/^(?:I|I'm|I'd|I'll|I've)$/.test(bare)) return false
  return (
    /^[A-Z][A-Za-z0-9.+#-]*$/.test(bare) ||
    /[a-z][A-Z]|[A-Z]{2}/.test(bare) ||
    toolNames.has(bare.toLowerCase())
  )
}
