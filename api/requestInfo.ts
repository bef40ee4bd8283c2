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

/** A request as read from method, path and query alone; authorization, audit and routing share this reading. */
export type RequestInfo =
  | { readonly isResource: false; readonly path: string; /** Lower-case method. */ readonly verb: Verb }
  | {
      readonly isResource: true;
      readonly path: string;
      readonly verb: Verb;
      readonly group: string;
      readonly version: string;
      /** Empty for cluster-scoped resources and all namespaces. */
      readonly namespace: string;
      readonly resource: string;
      readonly subresource: string;
      /** Empty for collections. */
      readonly name: string;
      /** Set for collections only; authorization rules may depend on it. */
      readonly fieldSelector?: string;
      readonly labelSelector?: string;
      /** Segments after the subresource (for proxy paths). */
      readonly rest: readonly string[];
    };
