import { once } from 'node:events';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import jsonPatch from 'fast-json-patch';
import type { KubeObject } from '../../api/meta/object.js';
import type { KeyAndCertificate } from '../certificateRequest.js';
import { issueCertificate } from '../certificates.js';
import { boundedBody } from './boundedBody.js';

/** A server's request to an admission webhook (admission.k8s.io/v1 AdmissionRequest). */
export interface AdmissionRequest {
  readonly uid: string;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly resource: { readonly group: string; readonly version: string; readonly resource: string };
  readonly subResource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly object: KubeObject | null;
  readonly oldObject: KubeObject | null;
  readonly userInfo: { readonly username?: string; readonly groups?: readonly string[] };
  readonly dryRun?: boolean;
}

/** Nothing or `true` allows, `false` or an error denies, a changed object allows and becomes a JSON patch. */
export type AdmissionHandler = (request: AdmissionRequest) => Promise<AdmissionVerdict> | AdmissionVerdict;
export type AdmissionVerdict =
  void | boolean | KubeObject | { readonly allowed: boolean; readonly message?: string; readonly warnings?: readonly string[] };

/** A webhook that serves on a port of its own on loopback. */
export interface ServedWebhook {
  readonly url: string;
  /** Goes into a webhook configuration as it is: `clientConfig: webhook.clientConfig`. */
  readonly clientConfig: { readonly url: string; readonly caBundle: string };
  readonly requests: readonly AdmissionRequest[];
  stop(): Promise<void>;
}

/** The server's own limit of a request, and room for the old object. */
const bodyBytesMax = 8 * 1024 * 1024;

export async function serveWebhook(authority: KeyAndCertificate, handler: AdmissionHandler): Promise<ServedWebhook> {
  const { certificate, key } = await issueCertificate(authority, {
    commonName: 'webhook',
    usages: ['serverAuth'],
    ipAddresses: ['127.0.0.1'],
  });
  const requests: AdmissionRequest[] = [];
  const server = https.createServer({ cert: certificate, key }, (request, response) => {
    const respond = async (): Promise<string> => {
      const { request: asked } = JSON.parse(await textOf(request)) as { readonly request: AdmissionRequest };
      requests.push(asked);
      return JSON.stringify({
        apiVersion: 'admission.k8s.io/v1',
        kind: 'AdmissionReview',
        response: { uid: asked.uid, ...(await decide(handler, asked)) },
      });
    };
    respond().then(
      (body) => response.setHeader('content-type', 'application/json').end(body),
      (error: unknown) => {
        response.statusCode = 400;
        response.end(String(error));
      },
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
    });
  };
  return { url, clientConfig: { url, caBundle: Buffer.from(authority.certificate).toString('base64') }, requests, stop };
}

async function decide(handler: AdmissionHandler, request: AdmissionRequest): Promise<object> {
  let verdict: AdmissionVerdict;
  try {
    verdict = await handler(structuredClone(request));
  } catch (error) {
    return { allowed: false, status: { message: error instanceof Error ? error.message : String(error) } };
  }
  if (verdict === undefined || typeof verdict === 'boolean') return { allowed: verdict ?? true };
  if ('allowed' in verdict) {
    const { allowed, message, warnings } = verdict;
    return { allowed, ...(message === undefined ? {} : { status: { message } }), ...(warnings === undefined ? {} : { warnings }) };
  }
  const patch = jsonPatch.compare(request.object ?? {}, verdict);
  return {
    allowed: true,
    ...(patch.length === 0 ? {} : { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') }),
  };
}

const textOf = async (request: AsyncIterable<Buffer>): Promise<string> =>
  (await boundedBody(request, bodyBytesMax, () => new Error(`more than ${bodyBytesMax} bytes`))).toString('utf8');
