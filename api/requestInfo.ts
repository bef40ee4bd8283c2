export type Verb =
  | 'get'
  | 'list'
  | 'watch'
  | 'create'
  | 'update'
  | 'patch'
  | 'delete'
  | 'deletecollection'
  | 'proxy'
  | 'head'
  | 'options'
  | 'connect'
  | 'post'
  | 'put'
  /** A method that no path serves, such as PROPFIND. */
  | 'other';

/** What a request is about, read from its method, path and query alone. Authorization, audit and routing all use this one reading. */
export type RequestInfo =
  | { readonly isResource: false; readonly path: string; /** Lower-case method. */ readonly verb: Verb }
  | {
      readonly isResource: true;
      readonly path: string;
      readonly verb: Verb;
      readonly group: string;
      readonly version: string;
      /** Empty for cluster-scoped resources and for requests over all namespaces. */
      readonly namespace: string;
      readonly resource: string;
      /** Empty when the request is about the resource itself. */
      readonly subresource: string;
      /** Empty for collections. */
      readonly name: string;
      /** Of a collection, when the request has one: rules may depend on what is selected. */
      readonly fieldSelector?: string;
      readonly labelSelector?: string;
      /** Segments after the subresource (for proxy paths). */
      readonly rest: readonly string[];
    };
