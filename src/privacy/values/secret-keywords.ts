/** What a keyword says about the value that follows. */
export type KeywordKind = "password" | "secret" | "token"

/** A word that labels a secret, with its position. */
export interface SecretKeyword {
  kind: KeywordKind
  start: number
  end: number
}

/** Every text with a keyword in Latin letters contains one of these. */
export const keywordHints: readonly string[] =
  'pass|pwd|secret|token|key|credential|kennwort|schlüssel|schluessel|sleutel|wachtwoord|parola d|palavra|clé|clef|cle |clave|chiave|chave|hasło|lösenord|adgangskode|heslo|şifre|contrase|senha|mdp|psk| wif|(wif|wif | pw|(pw|-pw|_pw|\npw|"pw|pw |pw:|pw=|pw"|akia|asia'.split(
    "|",
  )

const hints =
  /pass|pwd|secret|token|key|credential|kennwort|schl(?:ü|ue)ssel|sleutel|wachtwoord|parola d|palavra|cl(?:é|ef|e )|clave|chiave|chave|hasło|lösenord|adgangskode|heslo|şifre|비밀번호|contrase|senha|mdp|парол|密码|パスワード|psk|pw|wif|a[ks]ia/

const words =
  /(?<password>pass(?:word|wd|phrase|code|wort)|(?<![a-z])pass(?=["'`]?[ \t]{0,2}[:=]|[ ](?:is|was) )|p(?:ass)?wd|(?<![a-z])pw(?![a-z])|kennwort|mots? de passe|(?<![a-z])mdp(?![a-z])|contrase(?:ñ|n)a|senha|wachtwoord|parola d['’]ordine|palavra[- ]passe|hasło|lösenord|adgangskode|passord|heslo|şifre|비밀번호|пароль|密码|パスワード|(?:wi-?fi|wlan|wpa[23]?|netzwerk)[_ -]?(?:key|schl(?:ü|ue)ssel|sleutel)|(?<!\p{L})(?:cl(?:é|ef?)|clave|chiave|chave)(?: de| del| de la| du| da| do| della| di| d['’])? ?(?:wi-?fi|wlan)|(?<![a-z])psk(?![a-z])|pre-?shared[_ -]?key|ansible_\w{0,20}pass(?=:)|(?<![a-z])(?:ssh|db|pg|my|ftp|smtp|root|user)pass(?=["'`]?[ \t]{0,2}[:=]))|(?<secret>secret|credential|(?<![a-z])wif(?![a-z])|(?:api|access|auth|private|priv|signing|encryption|account|master|service|subscription|licen[sc]e|deploy|shared[_ -]?access|storage|admin|app|application|client|webhook|jwt)[_ -]?key|(?:api|zugangs|zugriffs|geheim|lizenz|toegangs|geheime )[_ -]?(?:schl(?:ü|ue)ssel|sleutel)|(?<!\p{L})(?:cl(?:é|ef?)|clave|chiave|chave)(?: de| del| de la| da| do| di| d['’])? ?(?:api|acc[eè]s|secr[eè]te|priv[eé]e|acceso|secreta|privada|accesso|segreta|privata|acesso)(?!\p{L})|(?<![a-z0-9])a[ks]ia[a-z0-9]{16})|(?<token>token)/giu

/** Words right after a keyword that change its meaning: token_count, password policy, secretName. */
const aboutIt =
  /^(?:i[sz]|s?[_ -]?(?:count|limit|type|ur[li]|endpoint|names?|file|path|ids?\b|len|size|field|input|label|hint|policy|policies|manager|ref|class|store|budget|bucket|usage|used|expir|ttl|lifetime|regex|pattern|handshake|exchange|valid|error|required|reset|min|max|algo|format|rotation|window|stream|price|cost|rate|index|position|prefix|suffix|header|parser|kind|attempts|scope|audience|version|encoding|arn|mount|provider|source|per|left|in\b|out\b|\/))/i

/** Whether a lower-case text may contain a keyword; a cheap test. */
export function mayHoldKeyword(lower: string): boolean {
  return hints.test(lower)
}

/** All keywords in a text. */
export function secretKeywords(text: string): SecretKeyword[] {
  const found: SecretKeyword[] = []
  for (const { 0: word, index, groups } of text.matchAll(words)) {
    const end = index + word.length
    const rest = text.slice(end, end + 24)
    if (
      aboutIt.test(rest) ||
      /^[A-Z]?[a-z]*(?:Count|Limit|Type|Ur[li]|Name|File|Path|Id\b|Ref|Field|Size)/.test(rest)
    )
      continue
    if (isShellFolder(text, index, end)) continue
    const strength: KeywordKind = groups?.password ? "password" : groups?.secret ? "secret" : "token"
    found.push({ kind: strength, start: index, end })
  }
  return found
}

/** PWD is also the shell's variable for the current folder. */
function isShellFolder(text: string, start: number, end: number): boolean {
  if (!/^\W?pwd$/i.test(text.slice(Math.max(0, start - 1), end))) return false
  return !/^["'`\w]{0,20}\s{0,3}[:=|]\s{0,3}[^\s/$~]/.test(text.slice(end, end + 40))
}
