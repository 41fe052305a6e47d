import { holdsEnvironment } from "./env-files.ts"

/** Usual names of files that hold keys or passwords. */
const secretNames =
  /^(id_(rsa|dsa|ecdsa|ed25519)(_sk)?|\.?netrc|_netrc|\.pgpass|\.my\.cnf|\.npmrc|\.pypirc|\.git-credentials|\.dockercfg|\.htpasswd|credentials(\.(json|toml|yaml|yml|ini|db))?|secrets?\.(json|toml|yaml|yml|ini)|service[-_]account.*\.json|.*\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk|asc|gpg|ovpn|tfstate)|wallet\.dat|\.vault[-_]pass.*)$/i

/** Folders that hold credentials only. */
const secretFolders = /^(\.ssh|\.gnupg|\.aws|\.azure|\.kube|\.docker|gcloud|\.password-store|\.secrets?)$/i

/** Whether a path looks like one that holds credentials, by its name alone. */
export function isSecretFile(path: string): boolean {
  const parts = path.normalize("NFKC").split(/[\\/]/)
  const name = (parts.at(-1) ?? "").replace(/[\s.]+$/, "")
  return (
    holdsEnvironment(name) ||
    secretNames.test(name) ||
    parts.slice(0, -1).some((part) => secretFolders.test(part))
  )
}
