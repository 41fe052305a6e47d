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
    `export GIT_COMMIT=${hex(40)} make build`,
    `The wallet service broke in commit ${hex(40)}`,
    `The transaction 0x${hex(64)} was reverted by the contract.`,
    `The block hash is 0x${hex(64)} on the test chain.`,
    `cache_key_${hex(32)}.json is stale`,
    `public key fingerprint ${hex(32)}`,
  ]).flat()
  return [...made, ...said, ...onSeveralLines]
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
src/privacy/detectors/keys/token-formats.ts holds the formats.
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
the password policy requires 12 characters
the key is to start early
change from tabs to spaces
the router's password is rotated monthly
Passwort wurde zurückgesetzt
the wifi key rotation happens weekly
The password was changed from plain text to hashed storage in v2.3.
The password field was renamed from pwd to passphrase_hash in 2024.
The password hashing was moved from bcrypt to argon2id last year.
We changed the password hashing from SHA-256 to Argon2id in 2024!
The password was changed from the default to something longer!
Password reset - see docs/auth.md for details.
password for prod db - ask Marie-Claire in the ops channel
Passwords for prod - stored in 1Password, see the ops vault
Der API-Schlüssel lautet anders als in der Anleitung.
Der Schlüssel zum Erfolg ist frühes Testen!
Der API-Schlüssel liegt im Tresor von HashiCorp.
Mein Kennwort beim Server heißt anders als früher!
Das Passwort heißt jetzt Passphrase, siehe Glossar.
Das Passwort für den Router lautet wie auf dem Aufkleber!
The router's password is printed on the sticker!
The router password is unknown!
The password is Required!
The wifi key is on the fridge.
The WPA key must have at least 8 characters.
The key is Ctrl+Shift+P to open the palette.
The key is F12 for the developer tools.
The primary key is user_id2 and the sort key is createdAt.
The partition key is tenantId#2024 in the DynamoDB table.
The cache key is users:v2:list and expires in 30s.
The translation key is login.form.password2.
echo $SUDO_PASS | sudo -S ls
echo hello | sudo tee /etc/motd
echo "deb http://deb.test/ stable main" | sudo tee /etc/apt/sources.list.d/a.list
htpasswd -B -c .htpasswd admin asks for the password.
sshpass -e ssh root@box reads it from SSHPASS
mysql -p asks for the password, -P3307 is the port
mysql -u root -p shop < dump.sql
docker run -p 8080:80 -u 1000:1000 nginx
docker run -p 127.0.0.1:5432:5432 postgres:16
docker login -u me --password-stdin registry.shop.io
curl -u "$USER:$PASS" https://shop.test
openssl rsa -in key.enc -passin env:KEY_PASS
openssl rsa -in key.enc -passin file:/run/secrets/pass
net use Z: \\\\server\\share /user:admin *
PGPASSWORD=$DB_PASS psql -h db
Le mot de passe est obligatoire !
Le mot de passe du routeur est sur l'étiquette!
Le mot de passe a été changé de manière sûre à la demande du client.
La contraseña es obligatoria!
La contraseña se cambió de forma segura a las 10h30.
La clave es empezar pronto!
La clave del éxito es la constancia2.
La password è obbligatoria!
La password è stata cambiata da Marco a mezzanotte.
La chiave è iniziare presto!
A senha é obrigatória!
A senha foi alterada de acordo com a política para todos.
A chave primária é o campo user_id.
Het wachtwoord is verplicht!
Het wachtwoord is gewijzigd van beheer naar ops.
De sleutel tot succes is vroeg beginnen!
Das Passwort wurde von Anna auf Wunsch geändert
The token was changed from a JWT to an opaque string.
The secret was moved from GitHub Actions to HashiCorp Vault in 2024.
Secrets moved from .env to Vault v1.15 on 2024-05-03.
The password input uses type=password and autocomplete=new-password.
Passwords are hashed with PBKDF2-SHA256 at 600_000 iterations!
The password manager is 1Password7 on all Macs.
The password is checked against HaveIBeenPwned!
The password for staging is the same as in StagingEnv2.
The key is stored in localStorage under authTokenV2.
Password login was switched from LDAPv3 to SAML2 on Monday.
unzip -P is not supported by BusyBox1.36
7z x -p asks for it, -o/tmp/out sets the folder
the password (8 characters or more) - see RFC8265
the passkey is preferred to the password on iOS17!
The SSH key is ed25519, not RSA4096.
The API key is read from the OPENAI_API_KEY variable.
the API key is in Settings > Developers > API-Keys2
The access key is Alt+Shift+K in Firefox.
The hotkey is Ctrl+K, the leader key is <Space>.
Our password rules changed from 8 to 12 characters in 2025.
The private key is 4096-bit RSA.
The license key is validated by LicenseServer2.
Change the key from user_id to account_id2 in the index.
The wifi password is the same as last year!
The password is Wi-Fi only!
The passphrase is a sentence, e.g. CorrectHorse!
Our API keys rotate from Monday to Friday at 10:30 in us-east-1.
The token endpoint moved from /oauth/v1/token to /oauth/v2/token.
The password form moved from LoginForm2.tsx to SignInForm3.tsx.
Password validation went from zod3 to zod4 in PR#1234.
The secret name changed from prod-db-v1 to prod-db-v2.
The key schedule is weekdays - see RunBook2024.
echo "password" | sudo tee file is not how it works
sudo -S reads the password from standard input.
Use su - postgres and then psql.
Use unzip -P only with test archives.
Der WLAN-Schlüssel steht auf der Rückseite!
La clave primaria es id_usuario2.
La clé primaire est user_id2.
La clé de voûte est le module Auth2!
A chave estrangeira é pedido_id3.
net user base grew by 12% in Q3
the net use of memory is 12GB
The password box is on GitHub!
Password auth on the box is OpenSSH!
The password generator uses xkcd936-style words!
Passkeys replace passwords in iOS17/macOS14!
docker login then docker push acme/app:v2
Set the password with passwd deploy, then su deploy.
The secrets manager moved from us-east-1 to eu-central-1.
Passwords: min 12 chars, 1 upper, 1 digit!
The credential helper is osxkeychain on macOS14!
Rename the credential from AwsProd1 to AwsProd2.
De sleutelwoorden staan in Config2.
Het wachtwoordbeleid vereist 12 tekens.
La contraseña debe tener 12 caracteres!
Mot de passe oublié ? Voir la page Reset2.
A senha expira em 90 dias!
La password scade ogni 90 giorni!
The Wi-Fi key handshake is WPA3-SAE on Ubiquiti U6+.
Password hashing moved from md5crypt to yescrypt on Debian12!
PasswordAuthentication is No! in sshd_config
The password reset flow calls resetPasswordV2Handler!
The keys are Ctrl+C to copy and Ctrl+V to paste.
The login page moved from Login2Form to SignIn3Form!
Log in with SSO, not with LDAP2AD!
The pin for the LED is 13 and the clock pin is 18.
The pin of the connector is 4 on revision 2.
{"name": "token_count", "value": "4096"}
{"name": "password", "value": ""}
name: DB_PASSWORD valueFrom: secretKeyRef
requirepass is commented out in redis.conf
The tests pass on Node20 and Node22!
All checks pass with Vitest5!
| setting | password policy | |---|---| | length | 12 |
CREATE USER app IDENTIFIED BY 'changeme'
They are identified as "foreign adversaries" in it
Customers are identified by 'emailAddress'
redis-cli -p 6380 ping answers at once
curl -sSf https://api.acme.dev/health | jq .status
curl -u "$USER" https://ci.acme.dev asks for the password
http :8080/actuator/health Accept:application/json
docker run --rm -p 5432:5432 -e POSTGRES_DB=shop postgres:17
mysql -h db1 -P3307 -uroot shop
kubectl get secret db -o yaml
export NODE_OPTIONS=--max-old-space-size=4096
export JAVA_HOME=/usr/lib/jvm/java-21-openjdk-amd64
AWS_DEFAULT_REGION=eu-central-1 terraform plan
ENV PYTHONUNBUFFERED=1
ARG NODE_VERSION=24.21.0
DATABASE_POOL_MAX_CONNECTIONS=25
The exit code is 137 and the status code is 503.
The error code 4711 means that the queue is full.
Area code 0221, country code 49, zip code 50667.
Use pin 1.2.3 of the action and unpin it later.
The recovery codes page is broken on mobile.
Backup codes are shown once, 10 of them, after enrolment.
License: Apache-2.0, see LICENSE-2.0.txt
The serial console runs at 115200 baud.
The wifi driver is iwlwifi 6.12 on the laptop
The wifi dropped at 10:45, again at 2026-11-02
Seed the database with scripts/seed.ts before the tests.
The seed is 1234567890 so that runs repeat.
the user can open the door code editor from the menu
Run psql -h db1 -U app -d shop -c 'select 1'
ssh -p 2222 deploy@box1 uptime
unzip -p archive.zip file.txt | head
tar -xzpf backup.tgz -C /srv
openssl x509 -in cert.pem -noout -text
git log --oneline -p src/auth/token.ts
The combination of Vite 7 and Vitest 5 is fast
Enter 1234 rows into the table for the load test
this code will work with that test from last week
AUTH plugin caching_sha2_password is the default
branch feature/token-refresh-rotation is merged
branch fix/password-reset-email-2024 is stale
docs/decisions/0013-secret-scanner.md lists them
base64 -d decodes aGVsbG8gd29ybGQgYWdhaW4= to plain words
the password is required
The password is at least 12 characters
The password is wrong, try again.
the token is expired
The password is incorrect
The password is unique for each tenant
password: minimum 8 characters, 1 digit
The admin password is stored in the vault
The password was rotated on Monday
the login password is optional for guests
The password is never logged.
The password is case sensitive
Form password: required
feat(password): cleanup
Checks of the password: length, strength, history
The password is valid for 90 days
The wifi password is shown on page 42
The password is hashed with bcrypt, cost 12
the passphrase is too short
Next to the password: a button that shows it
GET /reset/password answers 404
https://acme.dev/login/oauth/authorize opens the form
https://acme.dev/verify/email-address-of-new-customers is a page
`
  .split("\n")
  .filter((line) => line !== "")

/** The same over several lines. */
const onSeveralLines = [
  "kind: SecretStore\nspec:\n  provider: vault",
  "kind: ExternalSecret\ndata:\n  - secretKey: password",
]
