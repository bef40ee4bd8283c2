/** Read the same way by the API server, for the services that it calls. */
export { inClusterSettings, loadKubeconfig, tlsTerms, type ConnectionSettings } from '../../program/kubeconfig.js';
