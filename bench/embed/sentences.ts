/** Nineteen word pieces with the marks around them. */
export const sentence = "The staging database runs on port 5433 and is reset each night at two sharp."

/** More than 128 word pieces: the benchmark takes as many from its beginning. */
export const paragraph = [
  "On Monday we agreed that the import job has to be restartable, because the old one began from zero after each",
  "failure. The new one writes a mark after every two hundred rows and looks for it when it starts. Whoever runs it",
  "twice gets the same result. The nightly report still reads the old table, so both are filled until the end of the",
  "month. After that the old table is renamed, and if nobody complains for a week it is dropped. The password of the",
  "reporting user was changed on the same day, and the new one is in the vault under the name of the team.",
  "Nobody has to do anything about it before the next release.",
].join(" ")

/** Twenty sentences about different things, to compare models with. */
export const variety = [
  "A man is playing a guitar.",
  "The cat sleeps on the warm windowsill.",
  "Use tabs in Go files and two spaces everywhere else.",
  "The deployment failed because the certificate had expired.",
  "She prefers tea without sugar in the afternoon.",
  "npm ci fails when the lockfile lacks optional packages.",
  "Their flight to Lisbon leaves at half past six.",
  "The parser must not allocate in the inner loop.",
  "He was born in 1987 in a small town near the sea.",
  "PostgreSQL needs the pgvector extension for nearest neighbours.",
  "We never merge on Fridays.",
  "The soup wants more salt and less pepper.",
  "Quarterly revenue rose by four percent.",
  "Rotate the access token every ninety days.",
  "The museum is closed on Mondays except in August.",
  "My sister adopted a greyhound from the shelter.",
  "Retries back off exponentially up to one minute.",
  "The second movement is slower and in a minor key.",
  "Rain is expected over the northern hills tonight.",
  "Always run the linter before you push.",
]
