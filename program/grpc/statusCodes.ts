const names = [
  'OK',
  'Canceled',
  'Unknown',
  'InvalidArgument',
  'DeadlineExceeded',
  'NotFound',
  'AlreadyExists',
  'PermissionDenied',
  'ResourceExhausted',
  'FailedPrecondition',
  'Aborted',
  'OutOfRange',
  'Unimplemented',
  'Internal',
  'Unavailable',
  'DataLoss',
  'Unauthenticated',
];

/** Reads an error or its causes. `unnamed` names a code that gRPC does not define. */
export function statusNameOf(error: unknown, unnamed: (code: number) => string): string {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const { code } = at as { readonly code?: unknown };
    if (typeof code === 'number') return names[code] ?? unnamed(code);
  }
  return 'unknown-non-grpc';
}

/** Go's text of a status (`Error.Error` of google.golang.org/grpc/internal/status). */
export const rpcErrorText = ({ code, details }: { readonly code: number; readonly details: string }): string =>
  `rpc error: code = ${names[code] ?? `Code(${code})`} desc = ${details}`;
