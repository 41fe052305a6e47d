import { expect, it } from "vitest"
import { isEnglish } from "../../src/embedding/runtime/language.ts"

it.each([
  "We deploy on Fridays, after the tests have run",
  "tests: pytest -n4",
  "`pnpm turbo run build` builds all packages",
  "",
])("%j counts as English", (text) => {
  expect(isEnglish(text)).toBe(true)
})

it.each([
  "I deploy si fanno il venerdì, dopo i test",
  "Testy uruchamiamy przed każdym wdrożeniem",
  "Testleri her dağıtımdan önce çalıştırıyoruz",
  "Vi kör alla tester innan vi driftsätter",
  "デプロイは金曜日に行います",
  "Перед релизом мы запускаем все тесты",
])("%j does not", (text) => {
  expect(isEnglish(text)).toBe(false)
})

it("looks at all of several texts", () => {
  expect(isEnglish("CI: Buildkite", "Le pipeline passe par Buildkite depuis le mois dernier")).toBe(false)
})
