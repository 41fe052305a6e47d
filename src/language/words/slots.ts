/** Things that have one value at a time: "the port is", "branch", "timezone:". */
export const attributes: ReadonlySet<string> = words(`
 laptop
 entry_point
 address age alias author bank base birthday boss branch browser bucket budget bundler cadence
 capital category channel ci city codename colour color command company compiler config
 configuration contact cost country cpu cto ceo cfo coo currency dashboard database date
 deadline default department dialect dialogue directory distro domain driver editor
 email employer encoding endpoint entry environment expiry extension filename folder font format
 formatter framework frequency gateway goal handle host hosting hostname id ide identifier 
 interval keyboard kind label language layout lead leader length level library
 licence license limit linter loader location locale lockfile logger maintainer manager master maximum
 merge method minimum mode model monitor name namespace office oncall operator orm os
 owner package packager palette parser password path pattern phone platform 
 policy port position prefix price primary priority profile prompt protocol provider proxy queue rate
 region registry remote renderer repo repository responsible reviewer role root route router runner
 runtime schedule schema scope secret separator severity shard shell shortcut size spec
 sponsor stage standard status storage store strategy style subnet suffix supplier supervisor tag target
 team template terminal theme threshold timeout timezone token tokenizer topic tracker trigger
 type url username value vendor version visibility volume webhook width workflow workspace
 zone call standup meeting demo release launch retro sprint freeze choice chair point
 `)

/** Verb and link before a slot that holds one thing at a time. */
export const singleSlots: ReadonlySet<string> = words(`
 deploy+with deploy+to deploy+on deploy+via deploy+from host+on host+in host+at host+with write+in live+in live+at locate+in
 locate+at store+in store+on store+at keep+in own+by maintain+by manage+by manage+with manage+in handle+by lead+by run+by
 run+with run+on run+in run+at assign+to name call default+to set+to point+to listen+on listen+at install+in install+with
 install+via bear+in work+at work+for report+to schedule+for plan+for due+by due+on configure+in configure+with define+in
 build+with bundle+with test+with lint+with format+with compile+with generate+with generate+by generate+in do+by do+with
 write+to write+with go+to send+to publish+to push+to print+to branch+off branch+from cut+from come+from base+on base+in
 start+with begin+with look+like belong+in belong+to sit+in put+in render+with power+by serve+by serve+from serve+on
 review+by approve+by cover+by secure+with encrypt+with hash+with sign+with parse+with validate+with target
 happen+on happen+in happen+at hold+on hold+at pin+to track+in log+to back+up+to sync+with deal+with pay+with cache+in
 cache+with read+from load+from pull+from start+at end+at end+on start+on expire+on expire+in ship+on ship+with
 authenticate+with log+in+with connect+to migrate+to move+to switch+to upgrade+to change+to speak+to ask measure+in`)

/** Those of them that one look at the words cannot tell from slots that hold several: who asks Tom may ask Lisa too. */
export const addingSlots: ReadonlySet<string> = words(`
 ask asks call calls run+on run+in run+with run+at deploy+to deploy+on deploy+from go+to send+to publish+to push+to print+to write+to
 write+in write+with log+to speak+to report+to connect+to sync+with deal+with pay+with come+from read+from load+from
 pull+from serve+from serve+on test+with build+with generate+with generate+in start+with begin+with happen+on happen+in
 happen+at look+like target targets measure+in`)

/** What somebody likes, wants or allows: the opposite takes it back. */
export const attitudes: ReadonlySet<string> = words(`
 like love enjoy hate dislike want prefer allow permit forbid ban prohibit enable disable always never accept reject
 require have lack`)

/** Tools of which a project uses one of a kind. */
export const toolsUsedAlone: ReadonlySet<string> = words(`
 npm pnpm yarn bun pip poetry uv pipenv conda cargo maven gradle webpack vite rollup esbuild parcel turbopack rspack jest
 vitest mocha jasmine ava pytest unittest eslint biome prettier black ruff flake8 rubocop vim neovim nvim emacs vscode helix
 tabs spaces squash rebase prisma drizzle typeorm sequelize esm commonjs cjs lf crlf camelcase snake_case pascalcase
 kebab jenkins circleci travis github gitlab flyway liquibase redux zustand mobx`)

/** Verbs with a purpose after their object: "use X for Y". */
export const choosingVerbs: ReadonlySet<string> = words(
  `use prefer choose pick adopt favor favour select take like want`,
)

/** Verbs of which there is one doer: "X owns billing". */
export const ownerVerbs: ReadonlySet<string> = words(`
 own maintain lead manage approve run head supervise administer chair direct`)

function words(text: string): Set<string> {
  return new Set(text.trim().split(/\s+/))
}
