/** The API server also reads kubeconfigs by this code, for services that it calls. */
export { inClusterSettings, loadKubeconfig, tlsTerms, type ConnectionSettings } from '../../program/kubeconfig.js';
