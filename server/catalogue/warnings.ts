/** Resource versions whose every answer carries a deprecation warning, by `apiVersion/resource`. */
export const DEPRECATED_RESOURCES: Readonly<Record<string, string>> = {
  'v1/endpoints': 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
  'v1/componentstatuses': 'v1 ComponentStatus is deprecated in v1.19+',
};
