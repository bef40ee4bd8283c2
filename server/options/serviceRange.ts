/** Where service addresses come from unless `--service-cluster-ip-range` says otherwise. */
export const defaultServiceRange = '10.0.0.0/24';
