/** The API server reads kubeconfigs the same way, for the services that it calls. */
export { inClusterSettings, loadKubeconfig, tlsTerms, type ConnectionSettings } from '../../program/kubeconfig.js';
