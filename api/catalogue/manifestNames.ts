/** Names of webhook configurations, policies and bindings in files end like this (KEP 5793), and with the feature ManifestBasedAdmissionControlConfig no others do. */
export const manifestSuffix = '.static.k8s.io';
