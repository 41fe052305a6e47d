/** What the value of an option is made of, and so which part of it is secret. */
export type Shape =
  | "password"
  | "glued"
  | "login"
  | "percent"
  | "comma"
  | "slash"
  | "pair"
  | "header"
  | "cookie"

/** Where a program takes secrets on its command line. */
export interface Program {
  /** Short options that take a value, so that bundles of them are read as the program reads them. */
  takes: string
  /** Options, also long and Windows' own, or words, whose value is secret. */
  options: ReadonlyMap<string, Shape>
  /** Beginnings of words whose rest is secret: `pass:`, `/p:`. */
  prefixes: readonly string[]
  /** Arguments in a row, of which the last is secret: `auth ?`, `configure set *secret* ?`. */
  rows: readonly (readonly string[])[]
  /** One of these words must be among the arguments. */
  needs: readonly string[]
}

/**
 * One line for each family: names, in parentheses the words of which one is needed, behind `takes` further short options
 * with a value, then the options with what their values are made of (a password unless said), prefixes and rows.
 */
const table = `
curl curlie takes AcCdDeFhKmoPQrtTwxXyYz: -u=login -U=login --user=login --proxy-user=login -H=header --header=header --proxy-header=header -b=cookie --cookie=cookie -E=login --cert=login
wget wget2 aria2c: --http-passwd --ftp-passwd --header=header
http https httpie xh xhs takes Aops: -a=login --auth=login
ab hey siege wrk vegeta hurl grpcurl websocat bombardier oha takes cntdzmTo: -A=login -a=login -P=login -H=header --header=header -header=header
mysql mariadb mysqldump mariadb-dump mysqladmin mysqlimport mysqlcheck mysqlshow mysqlsh mycli takes ehuDPSr: -p=glued
sshpass takes fdP: -p
redis-cli valkey-cli keydb-cli takes hpsurniD: -a [auth ?] [auth * ?] [config set requirepass ?] [config set masterauth ?]
mongo mongosh mongodump mongorestore mongoexport mongoimport mongostat mongotop takes uhdc: -p
docker podman buildah skopeo nerdctl helm oras crane regctl oc (login) takes u: -p
az (login sql) takes ugnls: -p
smbclient smbget rpcclient smbcacls smbspool winexe takes IpcWDn: -U=percent --user=percent
smbmap psexec winrs takes uHdxi: -p
crackmapexec cme nxc netexec evil-winrm takes udxi: -p -H
ykman yubico-piv-tool takes as: -P -n -m -p
oathtool takes dNstwC: [?]
bitcoin-cli litecoin-cli dogecoin-cli bitcoin-tx lncli: [importprivkey ?] [walletpassphrase ?] [sethdseed * ?] [signmessagewithprivkey ?] [signrawtransactionwithkey * ?] [encryptwallet ?]
openssl: -k -K pass:…
7z 7za 7zr 7zz rar unrar: -p=glued -hp=glued
zip unzip zipcloak zipinfo takes dbnstx: -P
ldapsearch ldapmodify ldapadd ldapdelete ldapwhoami ldapcompare ldapmodrdn takes DHbshpfclzS: -w
ldappasswd takes DHhp: -w -s -a
sqlcmd bcp osql isql tsql mssql-cli takes SUdQqioDHp: -P
cqlsh cypher-shell rabbitmqadmin couchbase-cli cbq beeline influx twine rdesktop ncftp ncftpget ncftpput takes uacdeknHbg: -p -password
rabbitmqctl: [add_user * ?] [change_password * ?] [authenticate_user * ?]
mosquitto_pub mosquitto_sub mosquitto_rr mqttx ipmitool takes hptmuIHUL: -P
lftp: -u=comma
xfreerdp wfreerdp xfreerdp3 wlfreerdp cmdkey: /p:… /pass:…
schtasks signtool: /RP /rp /p
snmpwalk snmpget snmpset snmpbulkwalk snmpbulkget takes vluacxCO: -A -X
p4 takes pucCH: -P
keytool jarsigner: -storepass -keypass -srcstorepass -deststorepass -srckeypass -destkeypass
security takes asldDjGrtTk: -w -p -P
ssh-keygen takes tbCfImnOrsVyYzD: -N -P
plink pscp psftp putty klink: -pw
swaks sendemail: -ap -xp
x11vnc: -passwd
useradd usermod takes cdegGksuR: -p
altool notarytool xcrun takes ufk: -p
nuget dotnet choco: -ApiKey -k [user-secrets set * ?]
gh (secret) takes aeorR: -b --body
vercel codecov doctl takes SAKfF: -t
netlify: --auth
cargo wandb snyk vault: [login ?] [auth ?]
bw: [unlock ?] [login * ?]
ngrok: [config add-authtoken ?] [authtoken ?]
rclone: [obscure ?] pass secret_access_key
mc: [alias set * * * ?] [config host add * * * ?]
b2: [authorize-account * ?] [account authorize * ?]
nmcli wpa_cli iw: password psk wifi-sec.psk 802-11-wireless-security.psk
wpa_passphrase: [* ?]
pdftk: user_pw owner_pw input_pw
npm pnpm yarn git pip gcloud: [config set *key ?] [set *key ?] [config *key ?] [config http.*header ?]
aws: [configure set *key ?]
poetry composer bundle: [config http-basic* * ?] [config *-token* ?] [config *key ?]
neo4j-admin: [set-initial-password ?] [dbms set-initial-password ?]
kubectl oc (secret): --from-literal=pair
sqlplus sqlldr expdp impdp rman: userid=slash [slash]
sudo wg cryptsetup svn hg gpg gpg2 imapsync argocd qpdf clickhouse-client clickhouse tailscale cloudflared stripe sentry-cli huggingface-cli hf surge firebase heroku fly flyctl psql pg_dump influxdb nats gem pulumi terraform ansible ansible-playbook flask rails kinit snowsql usql dbmate migrate flyway liquibase:
`

const programs = new Map<string, Program[]>()
for (const line of table.trim().split("\n")) addLine(line)

function addLine(line: string): void {
  const colon = line.indexOf(":")
  const head = line.slice(0, colon)
  const needs = /\(([^)]+)\)/.exec(head)?.[1]?.split(" ") ?? []
  const takes = / takes (\S+)/.exec(head)?.[1] ?? ""
  const names = head
    .replace(/ \(.*\)/, "")
    .replace(/ takes .*/, "")
    .split(" ")
  const body = line.slice(colon + 1)
  const rows = Array.from(body.matchAll(/\[([^\]]+)\]/g), ([, row = ""]) => row.split(" "))
  const entries = body.replaceAll(/\[[^\]]+\]/g, "").match(/\S+/g) ?? []
  const prefixes = entries.filter((entry) => entry.endsWith("…")).map((entry) => entry.slice(0, -1))
  const options = new Map<string, Shape>()
  for (const entry of entries.filter((one) => !one.endsWith("…"))) {
    const [option = "", shape = "password"] = entry.split("=")
    options.set(option, shape as Shape)
  }
  for (const name of names) {
    programs.set(name, [...(programs.get(name) ?? []), { takes, options, prefixes, rows, needs }])
  }
}

/** What is known of a program by this name, with or without its folder and `.exe`; several entries where it has many uses. */
export function programsNamed(word: string): readonly Program[] {
  const name = word.slice(word.lastIndexOf("/") + 1)
  return programs.get(name.endsWith(".exe") ? name.slice(0, -4) : name) ?? []
}
