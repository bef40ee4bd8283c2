/**
 * What is used of the gRPC library. Loaded when a service is first called. Imported by name here and not where it is loaded: of a CommonJS package that a
 * bundle loads on demand only the default export can be seen, while a module's static import is resolved in either form.
 */
export { Client, credentials, Metadata } from '@grpc/grpc-js';
