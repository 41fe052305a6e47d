import { type Finding, findValues } from "../finding.ts"
import { isMixed, isOrdinary, isPlaceholder } from "../values/placeholders.ts"
import { isRandomText } from "../values/randomness.ts"

/** Lines of routers, switches and firewalls: a word for a secret, its encoding (`7`, `sha`, `aes 128`), the value. */
const line =
  /(?<![\w-])(?:auth(?:entication)?(?:-(?:key|password))?|priv(?:acy)?(?:-password)?|enc(?:ryption)?|password|passwd|secret|key|key-string|community|pre-shared-key|psk|ike|shared-secret|passphrase|psksecret|wpa-psk|ascii|hex)[ \t]{1,3}(?:(?:[05-9]|sha(?:-?\d{1,3})?|md5|hmac-[\w-]{2,10}|aes(?:-?\d{3})?|3?des|128|192|256|encrypted|plaintext|plain|clear|cipher|simple|irreversible-cipher|hash|ascii|ascii-text|hexadecimal|local|remote|ENC|key|wpa-psk|set-key)[ \t]{1,3}){1,4}["']?(?<value>[^\s"'`<>,;\uFFFC]{6,128})/dgi

/** Finds secrets in the configuration of network devices. */
export function findInDeviceConfigs(text: string): Finding[] {
  return findValues(text, line, "password", (value) => !isPlaceholder(value) && isTypedSecret(value))
}

function isTypedSecret(value: string): boolean {
  if (/^[0-9A-F]{8,}$/.test(value) && /[A-F]/.test(value)) return true
  return (
    /\d/.test(value) &&
    !isOrdinary(value) &&
    (isMixed(value) || isRandomText(value, 8) || /[!@#$%^&*?]/.test(value))
  )
}
