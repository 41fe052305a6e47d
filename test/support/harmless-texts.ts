import { newId, newTimedId, type Random } from "../../src/base/random.ts"

/** Texts that look a little like secrets or personal data and must stay exactly as they are. */
export function harmlessTexts(random: Random): string[] {
  const hex = (length: number) =>
    Buffer.from(random.bytes(Math.ceil(length / 2)))
      .toString("hex")
      .slice(0, length)
  const uuid = () => [8, 4, 4, 4, 12].map(hex).join("-")
  const base64 = (bytes: number) => Buffer.from(random.bytes(bytes)).toString("base64")
  const made = Array.from({ length: 10 }, () => [
    `The regression came in with commit ${hex(40)} on the release branch.`,
    `Revert ${hex(7)} before the token refresh work goes in.`,
    `The request id was ${uuid()} and the worker answered after 30s.`,
    `Session ${uuid()} crashed while the password form was open.`,
    `"integrity": "sha512-${base64(64)}" changed after the upgrade`,
    `docker pull registry.acme.dev/app@sha256:${hex(64)} is the image with the fix`,
    `The screenshot is ${hex(12)}.png in the assets folder.`,
    `Memory ${newTimedId(random, 1_700_000_000_000, "m")} was merged by ${newId(random, "op")}.`,
    `The token fix is in ${hex(40)}, not in ${hex(40)}.`,
    `![diagram](data:image/png;base64,${base64(60)})`,
    `etag W/"${hex(32)}" stays the same for the api key page`,
    `The build at 2026-0${1 + Math.floor(random.next() * 8)}-14T10:22:31.${hex(3).replaceAll(/[a-f]/g, "7")}Z took 41s on 192.168.17.${Math.floor(random.next() * 255)}.`,
  ]).flat()
  return [...made, ...said]
}

const said = `
The password is required when a user registers.
The password is stored hashed with argon2id, never in plain text.
The password is SHA-256 hashed before it reaches the database.
Passwords are rotated every 90 days by the platform team.
The password must be at least 12 characters and is checked against a list.
The password field is called user_pw in the legacy schema.
Reset the password by mail if the token is expired.
The token is base64url-encoded and signed with RS256.
The token is refreshed five minutes before it expires.
The token bucket allows 100 requests per minute.
max_tokens=4096 is too small for the summary prompt.
The tokenizer: bert-base-uncased splits on whitespace first.
token_type: bearer is what the identity provider answers.
Token count: 1280, budget: 4000, left: 2720.
Design token: color-primary-500 maps to the brand blue.
The secret is to keep the functions small.
secretName: billing-tls is mounted into the ingress.
The secret lives in Vault under kv/billing/prod and is read at start.
const token = await getToken(user)
const password = process.env.DB_PASSWORD
password = os.environ["DB_PASSWORD"]
password: string
password: str | None = None
apiKey: config.apiKey
api_key = settings.API_KEY
export API_KEY=$API_KEY
export GITHUB_TOKEN="$(gh auth token)"
API_KEY=<your-api-key>
API_KEY=your-api-key-here
API_KEY=xxxxxxxxxxxxxxxxxxxx
PASSWORD=changeme
password: "********"
password=\${DB_PASSWORD}
token: {{ secrets.DEPLOY_TOKEN }}
env: GITHUB_TOKEN: \${{ secrets.GITHUB_TOKEN }}
Authorization: Bearer <token>
Authorization: Bearer $TOKEN
Authorization: Bearer YOUR_TOKEN_HERE
curl -H "Authorization: Bearer \${TOKEN}" https://api.acme.dev/v1/me
curl -u "$USER:$PASSWORD" https://ci.acme.dev
postgres://postgres:postgres@localhost:5432/dev is the local default.
postgres://user:password@host:5432/db is the form of the URL.
redis://localhost:6379/0 needs no login.
https://user:pass@example.com is an example in the manual.
git@github.com:acme/app.git is the remote.
ssh deploy@prod.acme.com and restart the worker.
rsync -av dist/ deploy@web1.acme.com:/srv/app
https://registry.acme.dev:8443/@acme/app is where packages go.
Install react@18.2.0 and @types/node@24.1.0 together.
icon@2x.png is missing in the bundle.
systemctl restart user@1000.service fixed the login.
Write to noreply@github.com is not possible.
jane@example.com is the user in every fixture.
Co-authored-by: dependabot[bot] <49699333+dependabot[bot]@users.noreply.github.com>
The @Injectable() decorator is not needed any more.
Use .env.example as the template and never commit .env files.
Never commit secrets; use the credential helper of the platform.
The credentials provider chain ends with the instance profile.
The private key is generated on first start and never leaves the machine.
ssh-keygen -t ed25519 makes a key without a passphrase prompt in CI.
The primary key: (tenant_id, user_id).
The cache key: user-42-settings-v3 is wrong for guests.
cacheKey = "sessions:v2:eu-central-1"
The foreign key is user_id and the sort key is created_at.
The public key starts with ssh-ed25519 and may be shared.
The keyboard shortcut is Ctrl+Shift+P.
The key insight is that writes are rare.
Version 1.2.3-beta.4+build.567 broke the parser.
The server listens on 0.0.0.0:8080 and on [::1]:8080.
2001:0db8:85a3:0000:0000:8a2e:0370:7334 is the documentation address.
The commit window is 2026-01-31 12:00:00 to 12:30:00.
The timestamp 1700000000000 is in milliseconds, 1700000000 in seconds.
Order 4711-0815 has 12 items for 1,234,567.89 EUR.
The queue holds 1000000 items of 4096 bytes.
Ports 3000-3010 are taken; use 5432, 6379 and 9200 for services.
pi is 3.14159265358979 and e is 2.718281828459045.
The seed of the test is 20240117 and the run id is 8675309.
Channel 1032984712345678901 is the one for releases.
Snowflake ids such as 175928847299117063 do not fit into a double.
src/memory/privacy/token-formats.ts holds the formats.
packages/api-gateway/src/middleware/authentication/token-verifier.spec.ts fails.
/usr/local/lib/python3.12/site-packages/requests/auth.py raised it.
C:\\\\Users\\\\dev\\\\AppData\\\\Local\\\\Temp is full.
node_modules/.pnpm/@babel+core@7.24.0/node_modules/@babel/core is linked.
https://github.com/acme/app/pull/1234#issuecomment-1987654321 explains it.
https://docs.acme.dev/guides/authentication?tab=tokens#refresh has the flow.
The class AbstractSingletonProxyFactoryBean is real.
handleUserPasswordResetRequestTimeoutError is thrown twice.
getUserAccessTokenFromRefreshToken() returns a promise.
VERY_LONG_CONSTANT_NAME_FOR_TOKEN_ENDPOINT is not used.
PASSWORD_RESET_TOKEN_TTL_SECONDS=3600
JWT_ALGORITHM=RS256 and JWT_ISSUER=https://id.acme.dev are set.
AWS_REGION=eu-central-1 is set for all jobs.
aws s3 ls s3://acme-artifacts-eu-central-1/releases/2026/
arn:aws:secretsmanager:eu-central-1:123456789012:secret:billing is the name only.
kubectl create secret generic billing --from-file=./config.json
The user prefers tabs, dark themes and short answers.
Das Passwort muss alle 90 Tage geändert werden.
Le mot de passe doit contenir douze caractères.
パスワードは必須です。
The PIN dialog appears twice on Android.
PIN: required for kiosk mode.
Pin the version of node to 24.
The phone layout breaks below 375px.
Call the handler at most 3 times.
The SIN function of the shader is slow; use a table.
Passport.js is replaced by our own middleware.
The card component has a 16px radius.
Use conventional commits: feat(auth): add token rotation (#1234).
0x1f 0x8b are the first bytes of a gzip file.
rgb(12, 34, 56) and #a1b2c3 are the brand colours.
The regex ^[A-Za-z0-9_-]{20,}$ matches ids.
eyJhbGciOiJIUzI1NiJ9 alone is only a header.
sk-... is how the key begins.
ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx is a placeholder.
Tokens begin with xoxb- for bots and xoxp- for people.
Run npm run bench -- privacy --json and compare texts/s.
The basic plan has no API access.
Basic authentication is switched off on the gateway.
The cookie banner hides the login button.
Set-Cookie needs SameSite=Lax in the embedded view.
The session cookie is httpOnly and lasts 14 days.
Sign the webhook with HMAC and compare in constant time.
password_hash is a text column, token_id a bigint.
<input type="password" name="password" placeholder="Password">
<label for="password">Enter your password</label>
{"password": {"type": "string", "minLength": 12}}
{"token": null, "expires": 0}
errors.password = "Please enter your password."
if (token === undefined) throw new Error("token missing")
expect(screen.getByLabelText("Password")).toBeVisible()
auth: { user: "app", password: secrets.db.password }
The login is admin and the password is in 1Password.
Ask the platform team for the API key; it is in Vault.
The API key is AZURE_OPENAI_KEY in the environment.
The deploy key is read-only.
`
  .split("\n")
  .filter((line) => line !== "")
