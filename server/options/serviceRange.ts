/** The default of `--service-cluster-ip-range`. */
export const defaultServiceRange = '10.0.0.0/24';
