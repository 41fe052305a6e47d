import { describe } from "vitest"
import { sampleTools } from "../../testkit/sessions/sample-tools.ts"
import { sessionSourceContract } from "./session-source.ts"

for (const tool of sampleTools) describe(`Sessions of ${tool.name}`, () => sessionSourceContract(tool))
