/** A numbered change of the schema, written once for each database. Landed ones are never edited. */
export interface Migration {
  version: number
  name: string
  sqlite: string
  postgres: string
}
