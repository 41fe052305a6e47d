/** What imports brought, so that nothing comes in twice, whatever became of it since. */
export const importKeys = {
  version: 7,
  name: "import-keys",
  sqlite: `
    create table import_keys (
      key text primary key, operation text not null, memory text not null
    ) strict, without rowid;
    create index import_keys_by_memory on import_keys (memory);
  `,
  postgres: `
    create table import_keys (
      key text collate "C" primary key, operation text not null, memory text collate "C" not null
    );
    create index import_keys_by_memory on import_keys (memory);
  `,
}
