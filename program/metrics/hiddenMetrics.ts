/**
 * Metrics that are on their way out, by the minor version since which they were to be replaced. One minor version later they are hidden, unless
 * `--show-hidden-metrics-for-version` asks for what was hidden since the version before; another one later they are gone.
 */
export const hidden: ReadonlyMap<string, number> = new Map([
  // In its place: apiserver_storage_size_bytes.
  ['apiserver_storage_db_total_size_in_bytes', 35],
]);
