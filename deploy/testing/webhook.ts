import { once } from 'node:events';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import jsonPatch from 'fast-json-patch';
import type { KubeObject } from '../../api/meta/object.js';
import type { KeyAndCertificate } from '../certificateRequest.js';
import { issueCertificate } from '../certificates.js';
import { boundedBody } from './boundedBody.js';
import { errorText } from '../../api/errorText.js';

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

/** Nothing or `true` allows; `false` or an error denies; a changed object allows with a JSON patch. */
export type AdmissionHandler = (request: AdmissionRequest) => Promise<AdmissionVerdict> | AdmissionVerdict;
export type AdmissionVerdict =
  | void
  | boolean
  | KubeObject
  | { readonly allowed: boolean; readonly message?: string; readonly warnings?: readonly string[] };

/** Converts one object to `desiredAPIVersion`; an error refuses the conversion. */
export type ConversionHandler = (object: KubeObject, desiredAPIVersion: string) => Promise<KubeObject> | KubeObject;

/** Handlers by path, where a webhook serves several. */
export interface WebhookHandlers {
  readonly admit?: AdmissionHandler | Readonly<Record<string, AdmissionHandler>>;
  readonly convert?: ConversionHandler;
}

/** A webhook served on its own loopback port. */
export interface ServedWebhook {
  readonly url: string;
  /** Goes into a webhook configuration as it is: `clientConfig: webhook.clientConfig`. */
  readonly clientConfig: { readonly url: string; readonly caBundle: string };
  readonly requests: readonly AdmissionRequest[];
  stop(): Promise<void>;
}

/** The server's request limit, and room for the old object. */
const bodyBytesMax = 8 * 1024 * 1024;

interface Review {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: unknown;
}

interface ConversionRequest {
  readonly uid: string;
  readonly desiredAPIVersion: string;
  readonly objects: readonly KubeObject[];
}

export async function serveWebhook(authority: KeyAndCertificate, given: AdmissionHandler | WebhookHandlers): Promise<ServedWebhook> {
  const { admit, convert }: WebhookHandlers = typeof given === 'function' ? { admit: given } : given;
  const { certificate, key } = await issueCertificate(authority, {
    commonName: 'webhook',
    usages: ['serverAuth'],
    ipAddresses: ['127.0.0.1'],
  });
  const requests: AdmissionRequest[] = [];
  const server = https.createServer({ cert: certificate, key }, (request, response) => {
    const respond = async (): Promise<string> => {
      const { apiVersion, kind, request: asked } = JSON.parse(await textOf(request)) as Review;
      if (kind === 'ConversionReview')
        return JSON.stringify({ apiVersion, kind, response: await converted(convert, asked as ConversionRequest) });
      const about = asked as AdmissionRequest;
      requests.push(about);
      const handler = typeof admit === 'object' ? admit[pathOf(request.url)] : admit;
      return JSON.stringify({ apiVersion, kind, response: { uid: about.uid, ...(await decide(handler, about)) } });
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

/** The query has the timeout. */
const pathOf = (url = '/'): string => url.split('?')[0]!;

async function converted(convert: ConversionHandler | undefined, { uid, desiredAPIVersion, objects }: ConversionRequest): Promise<object> {
  try {
    if (convert === undefined) throw new Error('this webhook of the test converts nothing: give it "convert"');
    const convertedObjects = [];
    for (const object of objects) convertedObjects.push(await convert(object, desiredAPIVersion));
    return { uid, convertedObjects, result: { status: 'Success' } };
  } catch (error) {
    return { uid, result: { status: 'Failure', message: errorText(error) } };
  }
}

async function decide(handler: AdmissionHandler | undefined, request: AdmissionRequest): Promise<object> {
  if (handler === undefined) return { allowed: false, status: { message: 'this webhook of the test has no handler for the path' } };
  let verdict: AdmissionVerdict;
  try {
    verdict = await handler(structuredClone(request));
  } catch (error) {
    return { allowed: false, status: { message: errorText(error) } };
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
