/**
 * KEP 5793: manifest files may define only webhook configurations, policies and bindings with this suffix, and ManifestBasedAdmissionControlConfig reserves it.
 */
export const manifestSuffix = '.static.k8s.io';
