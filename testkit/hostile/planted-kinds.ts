import { wordlist } from "@scure/bip39/wordlists/english.js"
import { base62, base64, type Draw, digits, hex, letters, lower, upper } from "../draw.ts"

/** A secret and the line it stands in. */
interface Carried {
  secret: string
  text: string
}

/** Puts the secret where the question mark stands. */
function put(secret: string, carrier: string): Carried {
  return { secret, text: carrier.replace("¿", () => secret) }
}

/** Letters, digits and a few signs that need no quotes on a command line. */
const typed = (d: Draw) =>
  d.text(letters, 3) + d.text(digits, 2) + d.text(`${base62}._-`, d.number(4, 12)) + d.text(base62, 1)
/** What nobody thinks up. */
const random = (d: Draw) => d.text(letters, 1) + d.text(digits, 1) + d.text(base62, d.number(18, 38))
const encoded = (text: string) => Buffer.from(text).toString("base64")

const commands = [
  "curl -sSu admin:¿ https://ci.acme.dev/api",
  "curl -sSuadmin:¿ https://ci.acme.dev/api",
  "curl -fsSLu'deploy:¿' https://nexus.acme.dev/a.tgz",
  "curl --user=deploy:¿ https://nexus.acme.dev/a.tgz",
  'curl -kH"X-Vault-Token: ¿" https://vault.acme.dev/v1/x',
  "http -a bot:¿ api.acme.dev/v1/jobs",
  "http POST api.acme.dev/v1/jobs X-API-Key:¿ name=nightly",
  "mysql -uroot -p¿ billing",
  "mysqldump --user=root --password=¿ billing",
  "sshpass -p¿ ssh root@box1",
  "redis-cli -h cache1 -a ¿ ping",
  "mongosh --host db1 -u root -p ¿ admin",
  "docker login -u deploy -p¿ registry.acme.dev",
  "smbclient //nas/share -U 'backup%¿' -c ls",
  "openssl enc -d -aes-256-cbc -in a.enc -k ¿",
  "7z x -p¿ backup.7z",
  "zip -P ¿ -r out.zip dist",
  "ldapsearch -x -D cn=admin -w ¿ -b dc=acme",
  "az login --service-principal -u app -p ¿ --tenant acme",
  "sqlcmd -S db1 -U sa -P '¿' -Q 'select 1'",
  "keytool -list -keystore app.jks -storepass ¿",
  "kubectl create secret generic db --from-literal=password=¿",
  "rabbitmqctl add_user worker ¿",
  "lftp -u backup,¿ sftp://files.acme.dev",
  "npm config set //npm.acme.dev/:_authToken ¿",
]
const settings = [
  "export ACME_VALUE=¿",
  "set -gx ACME_VALUE ¿",
  'setx ACME_VALUE "¿"',
  "$env:ACME_VALUE = '¿'",
  "ENV ACME_VALUE=¿",
  "ARG ACME_VALUE=¿",
  'Environment="ACME_VALUE=¿"',
  "docker run -e ACME_VALUE=¿ acme/app",
  "env:\n  ACME_VALUE: ¿",
]

/** Words people choose for passwords. */
const chosenWords =
  "swordfish dragon monkey football baseball sunshine princess shadow pumpkin batman letmein cookie ginger pepper hunter tigger jordan buster soccer hockey killer charlie thomas flower banana orange summer winter mustang iloveyou".split(
    " ",
  )

/** Kinds that are typed, printed, kept in files or told in words, each with fresh values. */
export const typedAndTold: Record<string, (draw: Draw) => Carried> = {
  "command-option": (d) => put(typed(d), d.pick(commands)),
  "setting-of-any-name": (d) => put(random(d), d.pick(settings)),
  "npmrc-token": (d) => put(random(d), "//npm.acme.dev/:_authToken=¿"),
  "npmrc-login": (d) =>
    put(
      encoded(`ci-bot:${random(d)}`),
      d.pick(["_auth=¿", "//npm.acme.dev/:_auth=¿", "NPM_CONFIG__AUTH=¿ npm ci"]),
    ),
  "docker-login": (d) => put(encoded(`puller:${random(d)}`), '{"auths":{"registry.acme.dev":{"auth":"¿"}}}'),
  "manifest-secret": (d) =>
    put(
      encoded(typed(d)),
      d.pick([
        "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n  value: ¿\ntype: Opaque",
        '{"apiVersion":"v1","data":{"value":"¿"},"kind":"Secret"}',
      ]),
    ),
  "recovery-words": (d) => {
    const words = Array.from({ length: d.pick([12, 24]) }, () => d.pick(wordlist))
    return put(words.join(" "), d.pick(["Wallet of the treasury: ¿", "¿", "seed phrase: ¿"]))
  },
  "app-password": (d) =>
    put(
      Array.from({ length: 4 }, () => d.text("bcdfghjklmnpqrstvwxz", 4)).join(d.pick([" ", "-"])),
      d.pick(["app password: ¿", "the relay uses the app password ¿ for now", "app-specific password ¿"]),
    ),
  "recovery-codes": (d) => {
    const codes = Array.from({ length: 4 }, () => `${d.text(digits, 2)}${d.text(hex, 3)}-${d.text(hex, 5)}`)
    return { secret: codes[2] ?? "", text: `GitHub recovery codes:\n${codes.join("\n")}` }
  },
  "wallet-key": (d) =>
    put(
      d.text(hex, 64),
      d.pick(["the deployer's private key is 0x¿", "signer 0x¿", "seed of the hot wallet -> ¿"]),
    ),
  "branch-name": (d) =>
    put(
      `${d.text(letters, 2)}${d.text(digits, 1)}${d.text(base62, 14)}${d.text(digits, 1)}z`,
      "pushed branch fix/db-pass-¿ by mistake",
    ),
  "file-name": (d) => put(d.text(hex, 32), "mv /root/backup_key_¿.txt away"),
  "postgres-passfile": (d) => put(random(d), "db1.acme.dev:5432:*:app:¿"),
  "machine-line": (d) =>
    put(
      typed(d),
      d.pick(["machine git.acme.dev login ci password ¿", "machine git.acme.dev\n  login ci\n  password ¿"]),
    ),
  "oracle-url": (d) => put(typed(d), "jdbc:oracle:thin:scott/¿@//ora1:1521/ORCL"),
  "second-factor-seed": (d) =>
    put(
      d.text(`${upper}234567`, 16),
      d.pick(["otpauth://totp/ACME:ops?secret=¿&issuer=ACME", "TOTP secret: ¿"]),
    ),
  "plain-word-password": (d) =>
    put(
      d.pick(chosenWords),
      d.pick([
        "the password is ¿",
        "the staging password is now ¿.",
        "the password for the printer is ¿, nobody changed it",
        "Username: ops\nPassword: ¿",
        "our guest wifi password: ¿",
      ]),
    ),
  "plain-words-password": (d) =>
    put(
      `${d.pick(chosenWords)} ${d.pick(chosenWords)} ${d.text(digits, 2)}`,
      d.pick(["wifi password: ¿", "the passphrase is ¿", "the password of the kiosk is ¿."]),
    ),
  "reset-link": (d) =>
    put(d.text(hex, 40), d.pick(["GET /reset/¿?lang=de answers 410", "https://acme.dev/invite/¿ expired"])),
  "door-code": (d) =>
    put(
      `3${d.text("123456789", 3)}`,
      d.pick([
        "the door code is ¿",
        "alarm code: ¿",
        "PIN of the company card is ¿",
        "keypad code ¿, rack B14",
      ]),
    ),
  "product-key": (d) =>
    put(
      Array.from({ length: 5 }, () => d.text(upper, 2) + d.text(digits, 1) + d.text(upper + digits, 2)).join(
        "-",
      ),
      "license ¿ for the build box",
    ),
  "signed-address": (d) =>
    put(random(d) + d.text(base62, 20), "https://files.acme.dev/r.pdf?expires=1700000000&Signature=¿"),
  "preshared-key": (d) => put(`${d.text(base64, 43)}=`, "PresharedKey = ¿"),
  "key-without-head": (d) => put(`b3BlbnNzaC1rZXktdjEA${d.text(base64, 50)}`, "part of the file:\n¿"),
  "network-key": (d) =>
    put(
      `${d.text(lower, 6)}-${d.text(digits, 3)}-${d.text(lower, 5)}`,
      d.pick(["guest wifi pw ¿", "WIFI:S:ACME;T:WPA;P:¿;;"]),
    ),
}
