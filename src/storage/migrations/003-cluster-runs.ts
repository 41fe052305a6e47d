import { forBoth } from "./migration.ts"

/**
 * When the clusters of each scope were found: the number of the run is what a newer run and the vectors' cache are
 * told apart by, the entry is the newest of the journal that it knew.
 */
export const clusterRuns = {
  version: 3,
  name: "cluster-runs",
  ...forBoth(`
    create table cluster_runs (
      place text collate "C" primary key, run bigint not null, at bigint not null, entry bigint not null,
      model text not null, memories bigint not null
    ) without rowid;
    create index clusters_by_project on clusters (project);
  `),
}
