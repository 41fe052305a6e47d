import { describe, expect, test } from "vitest"
import { configSchema } from "../../src/config/schema.ts"
import { openScreen, type Screen } from "../../src/privacy/screen.ts"
import { harmlessTexts } from "../../testkit/hostile/harmless-texts.ts"
import { type PlantedSecret, plantPersonalData, plantSecrets } from "../../testkit/hostile/planted-secrets.ts"
import { createManualClock } from "../../testkit/manual-clock.ts"
import { createSeededRandom } from "../../testkit/seeded-random.ts"

const screen = openScreen({ clock: createManualClock() }, configSchema.parse({}).privacy)
/** Every kind several times over. */
const planted = plantSecrets(createSeededRandom(1), 330)
const personal = plantPersonalData(createSeededRandom(2), 60)
const random = createSeededRandom(3)
const draw = (alphabet: string, length: number) =>
  Array.from({ length }, () => alphabet[Math.floor(random.next() * alphabet.length)]).join("")

function keptOf(screened: Awaited<ReturnType<Screen["check"]>>): string {
  return screened.outcome === "refused" ? "" : screened.text
}

async function leaksOf(all: readonly PlantedSecret[]): Promise<PlantedSecret[]> {
  const leaks: PlantedSecret[] = []
  for (const one of all) {
    const screened = await screen.check(one.text)
    if (screened.outcome === "clean" || keptOf(screened).includes(one.secret)) leaks.push(one)
  }
  return leaks
}

describe("Planted secrets", () => {
  test("are many, of many kinds, and really in their texts", () => {
    expect(planted.length).toBeGreaterThanOrEqual(200)
    expect(new Set(planted.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(50)
    const shortest = (kind: string) => (kind === "door-code" ? 4 : 6)
    const isSound = ({ kind, secret, text }: PlantedSecret) =>
      secret.length >= shortest(kind) && text.includes(secret)
    expect(planted.filter((one) => !isSound(one))).toEqual([])
  })

  test("are all found, and what is around them is kept", async () => {
    expect(await leaksOf(planted)).toEqual([])
    const kept = await Promise.all(planted.map(async ({ text }) => keptOf(await screen.check(text))))
    expect(kept.filter((text) => text !== "").length).toBeGreaterThan(planted.length * 0.8)
  })

  test("are found by the synchronous look for log lines too", () => {
    expect(planted.filter(({ secret, text }) => screen.redactSync(text).includes(secret))).toEqual([])
  })

  test("are found in any of several lines, and each where there are several", async () => {
    const [first, second] = planted
    const text = `Notes on the release:\n${first?.text}\n${"word ".repeat(3000)}\n${second?.text}\nThe end.`
    const kept = keptOf(await screen.check(text))
    expect(kept).toContain("Notes on the release:")
    expect(kept).not.toContain(first?.secret)
    expect(kept).not.toContain(second?.secret)
  })
})

test("Personal data is found", async () => {
  expect(await leaksOf(personal)).toEqual([])
})

test("Harmless texts stay exactly as they are", async () => {
  const harmless = harmlessTexts(createSeededRandom(4))
  expect(harmless.length).toBeGreaterThanOrEqual(200)
  const touched: string[] = []
  for (const text of harmless) {
    const screened = await screen.check(text)
    if (screened.outcome !== "clean" || screened.text !== text || screen.redactSync(text) !== text)
      touched.push(text)
  }
  expect(touched).toEqual([])
})

/** Ways to say a password; S is one, T another, N one without digits. */
const announcements = `
The password was changed from S to T
We changed the admin password from S to T last week.
password for prod db - S
Password of the staging box – S
wifi password - N
Der API-Schlüssel lautet K
Der API-Schlüssel für den Server ist K
Mein Kennwort beim Server heißt S
Das Kennwort heisst S seit gestern
the wifi key is S
The WPA key for the guest network is S
Der WLAN-Schlüssel ist S
WLAN-Schlüssel: S
wifi key: S
echo S | sudo -S ls
echo 'S' | sudo -S apt update
printf "S" | docker login --username me --password-stdin
echo S | passwd --stdin deploy
sudo -S apt update <<< S
htpasswd -b f admin S
htpasswd -bc /etc/nginx/.htpasswd admin S
htpasswd -nb admin 'S'
sshpass -p S ssh root@box
sshpass -p'S' ssh root@box
mysql -pS -u root shop
mysqldump -uroot -p'S' shop > dump.sql
curl -u admin:S https://shop.example/api
curl -uadmin:S https://shop.test/api
docker login -u me -p S registry.shop.io
podman login -u me -p S registry.shop.io
openssl rsa -in key.enc -passin pass:S -out key.txt
openssl enc -aes-256-cbc -k S -in a -out b
openssl pkcs12 -export -passout pass:S -out a.p12
net use Z: \\\\server\\share /user:admin S
net use Z: \\\\server\\share S /user:CORP\\admin
net user deploy S /add
PGPASSWORD=S psql -h db shop
The router's password is N
Das Passwort für den Router lautet N
The router password is N since May.
Password: N
Das WLAN-Passwort ist N
Le mot de passe du routeur est N
Le mot de passe de la base est S
mon mot de passe : S
Le mot de passe a été changé de S à T
mot de passe pour le serveur - S
La clé API est K
La clé wifi est S
La contraseña del servidor es S
La contraseña del router es N
La contraseña se cambió de S a T
contraseña de la base - S
La clave del wifi es S
La clave API es K
La password del server è S
La password del router è N
La password è stata cambiata da S a T
La parola d'ordine è S
La chiave API è K
A senha do servidor é S
A senha do roteador é N
A senha foi alterada de S para T
senha do banco - S
palavra-passe do servidor: S
A chave da API é K
Het wachtwoord van de server is S
Het wachtwoord van de router is N
Het wachtwoord is gewijzigd van S naar T
wachtwoord voor de database - S
Mijn wachtwoord luidt S
De API-sleutel is K
Das Passwort wurde von S auf T geändert
Passwort geändert von S zu T
The old password S was replaced by T
password changed: S -> T
log in to the box as deploy with S as the password
S is the password for the prod db
use S as password for the staging db
Das Passwort, das wir für den Router benutzen, ist N
root password (prod): S
the passwords are S and T
password=S, old password=T
The API key of the shop is K
the api key for the mailer - K
The encryption key was changed from K to L
ldapsearch -x -D cn=admin -w S -b dc=acme
redis-cli -a S ping
psql "host=db user=app password=S"
smbclient //nas/share -U admin%S
useradd -p S deploy
7z x -pS backup.7z
unzip -P S backup.zip
zip -P S backup.zip f
wget --user=me --password=S https://acme.test/f
echo "deploy:S" | chpasswd
xfreerdp /u:admin /p:S /v:box
mongosh -u root -p S shop
gpg --batch --passphrase S -d f.gpg
ansible-playbook site.yml -e ansible_become_pass=S
snmpwalk -v3 -A S -u admin host password
the admin login is admin / S
The password is:\\nS
Password\\nS
password: >-\\n  S
password: |\\n  S
<add key="DbPassword" value="S" />
<setting name="password"><value>S</value></setting>
name: DB_PASSWORD\\nvalue: S
{"name": "DB_PASSWORD", "value": "S"}
{"key": "password", "value": "S"}
setPassword("S")
user.login("admin", "S") with the password
Username: admin\\nPassword: N
user admin pass S
admin:S works for the login
login with admin and S
login: admin, pw: S
pw S for the nas
**Password**: \`S\`
**Password:** S
| user | password |\\n|---|---|\\n| admin | S |
user,password\\nadmin,S
ALTER USER app WITH PASSWORD 'S'
CREATE USER 'app'@'%' IDENTIFIED BY 'S'
requirepass S
The credentials are admin and S
Zugangsdaten: admin / S
Zugangsdaten admin S
Passwort ist ab heute S
New password → S
az login -u me@acme.io -p S
`
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => line.replaceAll("\\n", "\n"))

describe("An announced password", () => {
  const made: Record<string, string> = {
    S: "Kx9Sommer2024!",
    T: "Zw8Winter2025!",
    K: "Kx9Sommer2024abc",
    L: "Zw8Winter2025abc",
    N: "SommerNLRKu!",
  }

  test.each(announcements)("is not kept of: %s", async (line) => {
    const text = line.replaceAll(/(?<![A-Z\-/<]|[a-oq-z])[STKLN](?![A-Za-z])/g, (sign) => made[sign] ?? sign)
    expect(text).not.toBe(line)
    const kept = keptOf(await screen.check(text))
    for (const secret of Object.values(made)) expect(kept).not.toContain(secret)
  })
})

test.each([
  ["redirect=https%3A%2F%2Fshop.test%2Flogin%3Fpassword%3DKx9Sommer2024%21%26x%3D1 fails", "Kx9Sommer2024"],
  ["The database is postgres%3A%2F%2Fapp%3AKx9Sommer2024%40db1.acme.io%2Fbilling now", "Kx9Sommer2024"],
  ['- name: DB_PASSWORD\n  value: "SommerNLRKu"\nfor the billing worker', "SommerNLRKu"],
  ['CREATE USER app IDENTIFIED BY "SommerNLRKu"', "SommerNLRKu"],
  ["the pin for the door of the office is 482913", "482913"],
  ["sshpass -p SommerNLRKu ssh root@box", "SommerNLRKu"],
  ["mysql -u root -pSommerNLRKu shop", "SommerNLRKu"],
])("A secret in another form is not kept of: %s", async (text, secret) => {
  expect(keptOf(await screen.check(text))).not.toContain(secret)
})

describe("What is found", () => {
  test("is replaced by its kind, and told by its place", async () => {
    const token = `gh${"p_"}${draw("abcdefghkmnpqrstABCDEFGHKMNPQRST23456789", 36)}`
    const text = `The release job uses ${token} to publish packages.`
    expect(await screen.check(text)).toEqual({
      outcome: "redacted",
      text: "The release job uses [github-token removed] to publish packages.",
      findings: [{ kind: "github-token", start: 21, end: 21 + token.length }],
    })
  })

  test("is refused when nothing worth keeping is left", async () => {
    const screened = await screen.check(`my password is ${draw("bcdfg", 4)}-${draw("2345678", 5)}!`)
    expect(screened).toMatchObject({ outcome: "refused", reason: "it looks like a password" })
  })

  test("in a URL is only its password", async () => {
    const url = `postgres://app:${draw("bcdfgHJKL3456", 14)}7@db.acme.io/billing`
    expect(await screen.check(`The billing database is ${url} since May.`)).toMatchObject({
      text: "The billing database is postgres://app:[url-password removed]@db.acme.io/billing since May.",
    })
  })

  test("in several languages is found", async () => {
    const secret = `${draw("BCDFG", 2)}${draw("aeiou", 4)}${draw("2345678", 4)}`
    const sentences = [
      `Das Passwort lautet ${secret} und gilt für den Router im Keller.`,
      `contraseña: ${secret} del servidor de pruebas`,
      `пароль: ${secret} от тестового сервера`,
      `テストサーバーのパスワードは「${secret}」です`,
      `测试服务器登录的密码是 ${secret} 请勿外传`,
    ]
    for (const text of sentences) expect(keptOf(await screen.check(text)), text).not.toContain(secret)
  })

  test("is found by the second opinion where our rules know nothing of it", async () => {
    // Our rules want no letter or digit before a token, secretlint no letter.
    const token = `gl${"pat-"}${draw("ABCDEFGHJKabcdefghjk23456789", 20)}`
    const text = `The bot of the release channel is number 7${token} in the list.`
    expect(screen.redactSync(text)).toBe(text)
    expect(await screen.check(text)).toMatchObject({
      outcome: "redacted",
      text: "The bot of the release channel is number 7[gitlab-credential removed] in the list.",
    })
  })
})
