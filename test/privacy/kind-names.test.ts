import { expect, test } from "vitest"
import { tokenFormats } from "../../src/privacy/detectors/keys/token-formats.ts"
import { kindName } from "../../src/privacy/kind-names.ts"

test("what a detector found has a name that people use", () => {
  const names = [
    "stripe-key",
    "github-token",
    "aws-access-key",
    "private-key",
    "password",
    "us-ssn",
    "recovery-words",
  ].map(kindName)
  expect(names).toEqual([
    "a Stripe secret key",
    "a GitHub token",
    "an AWS access key",
    "a private key",
    "a password",
    "a US SSN",
    "the recovery words of a wallet",
  ])
})

test("no kind of token is shown by its raw name", () => {
  const raw = tokenFormats.map(({ kind }) => kindName(kind)).filter((name) => /^an? [a-z]+-/.test(name))
  expect(raw).toEqual([])
})
