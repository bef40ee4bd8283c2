import type { Filter } from './filter.js';

/** Answers a preflight request (OPTIONS with an allowed origin) at once, as it has no credentials. */
export function corsFilter(origins: readonly RegExp[], hsts: string | null): Filter {
  return ({ request, response, method }) => {
    if (hsts !== null) response.setHeader('strict-transport-security', hsts);
    const { origin } = request.headers;
    if (typeof origin !== 'string' || !origins.some((pattern) => pattern.test(origin))) return;
    response.setHeader('access-control-allow-origin', origin);
    response.setHeader('access-control-allow-methods', 'POST, GET, OPTIONS, PUT, DELETE, PATCH');
    response.setHeader(
      'access-control-allow-headers',
      'Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, X-Requested-With, If-Modified-Since',
    );
    response.setHeader('access-control-expose-headers', 'Date');
    response.setHeader('access-control-allow-credentials', 'true');
    if (method !== 'OPTIONS') return;
    response.statusCode = 204;
    response.end();
    return 'answered';
  };
}
