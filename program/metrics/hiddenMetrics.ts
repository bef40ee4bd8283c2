/**
 * Deprecated metrics by minor version. They are hidden one version later, unless `--show-hidden-metrics-for-version` names the version before, and removed
 * after another one.
 */
export const hidden: ReadonlyMap<string, number> = new Map([
  // Replaced by apiserver_storage_size_bytes.
  ['apiserver_storage_db_total_size_in_bytes', 35],
]);
