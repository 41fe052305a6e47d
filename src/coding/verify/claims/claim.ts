/** Something a memory says of its repository that can be looked up there. */
export type Claim = {
  /** It says that this is not so: what is absent bears it out, what is there proves nothing. */
  isDenied: boolean
} & (
  | { kind: "path"; path: string }
  | { kind: "symbol"; name: string }
  | { kind: "script"; name: string }
  | { kind: "target"; name: string }
  | { kind: "dependency"; name: string }
  /** Where the version stands in the text, so that it can be replaced. */
  | { kind: "version"; name: string; version: string; from: number; to: number }
)

/** What a text says that can be looked up. */
export interface Claims {
  claims: Claim[]
  /** Other parts of it speak of the past, of plans or of conditions: it cannot be confirmed as a whole. */
  isPartial: boolean
  /** It says nothing but that one version is used. */
  isBareVersion: boolean
}

/** A claim by what it is about, for looking it up once. */
export function claimKey(claim: Claim): string {
  if (claim.kind === "path") return `path ${claim.path}`
  return claim.kind === "version" ? `version ${claim.name} ${claim.version}` : `${claim.kind} ${claim.name}`
}
