import { controllerCatalogue } from './catalogue.js';

export const about =
  'The controller manager runs the loops that move a cluster from the state that it is in to the state that is wanted. It watches and changes objects ' +
  'through the API server, as any client does. Any number of managers may run; one of them works, the others stand by.\n\n' +
  `Controllers: ${controllerCatalogue.map(({ name }) => name).join(', ')}.`;

export const examples = [
  {
    about: 'One manager beside an API server.',
    command: 'controller-manager --kubeconfig=controller-manager.kubeconfig --use-service-account-credentials',
  },
  {
    about: 'The options that a KubeControllerManagerConfiguration stands for, checked; `schema KIND` prints its JSON Schema.',
    command: 'controller-manager flags config.yaml',
  },
];
