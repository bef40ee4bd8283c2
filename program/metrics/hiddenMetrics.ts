/**
 * Deprecated metrics by minor version. One version later they are hidden, unless `--show-hidden-metrics-for-version` names the version before; another one
 * later they are gone.
 */
export const hidden: ReadonlyMap<string, number> = new Map([
  // Replaced by apiserver_storage_size_bytes.
  ['apiserver_storage_db_total_size_in_bytes', 35],
]);
