import { forBoth } from "./migration.ts"

/** What imports brought, so that nothing comes in twice, whatever became of it since. */
export const importKeys = {
  version: 7,
  name: "import-keys",
  ...forBoth(`
    create table import_keys (
      key text collate "C" primary key, operation text not null, memory text collate "C" not null
    ) without rowid;
    create index import_keys_by_memory on import_keys (memory);
  `),
}
