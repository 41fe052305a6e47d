import known from "../../assets/privacy/kind-names.json" with { type: "json" }

/** Names that are not written like ordinary words: GitHub, AWS. */
const spellings: Record<string, string> = known.spellings

/** Full names of kinds whose id alone says too little. */
const names: Record<string, string> = known.names

/** Words that say what a secret is. What precedes them is a vendor's name. */
const things = new Set(
  "token key secret password hash webhook login code words phrase card account auth access origin private recovery seed wallet licence basic bearer encoded payment".split(
    " ",
  ),
)

/** The kind of a finding in words for people: "a Stripe secret key" for `stripe-key`. */
export function kindName(kind: string): string {
  const fullName = names[kind]
  if (fullName !== undefined) return fullName
  const parts = kind.split("-")
  const words = parts.map((word, index) => {
    if (spellings[word] !== undefined) return spellings[word]
    return index === 0 && !things.has(word) ? word.charAt(0).toUpperCase() + word.slice(1) : word
  })
  // A vendor's "key" is its secret key; private and access keys have that word in their kind.
  const isPlainKey = parts.length === 2 && parts[1] === "key" && !things.has(parts[0] ?? "")
  const name = (isPlainKey ? [words[0], "secret", "key"] : words).join(" ")
  return `${/^(?:[aeio]|AWS|IBAN|NHS|SSN|SIN|npm|xAI)/i.test(name) ? "an" : "a"} ${name}`
}
