import https from 'node:https';

/**
 * One request in JSON with the certificate of a `ClientConfig`. Resolves with `{ code, body }`, whatever the code; rejects when no answer comes, or not
 * within `timeoutMs` (never, unless given).
 */
export function request(config, method, path, { body, timeoutMs, type = 'application/json', token } = {}) {
  return new Promise((resolve, reject) => {
    const signal = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
    const credentials = token === undefined ? { cert: config.cert, key: config.key } : {};
    const headers = { 'content-type': type, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
    const outgoing = https.request(new URL(path, config.server), { method, ca: config.ca, ...credentials, headers, signal, agent: false });
    outgoing.on('error', reject);
    outgoing.on('response', async (response) => {
      try {
        const chunks = await response.toArray();
        const text = Buffer.concat(chunks).toString();
        resolve({ code: response.statusCode, body: text === '' ? null : JSON.parse(text) });
      } catch (error) {
        reject(error);
      }
    });
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** A watch: `onEvent(type, object)` for each change after `version`. Resolves when the connection ends, with why: `'closed'`, or the code of an error. */
export function watch(config, path, version, onEvent) {
  return new Promise((resolve) => {
    const url = new URL(`${path}?watch=true&resourceVersion=${version}`, config.server);
    const outgoing = https.request(url, { ca: config.ca, cert: config.cert, key: config.key, agent: false });
    outgoing.on('error', () => resolve('closed'));
    outgoing.on('response', (response) => {
      let unread = '';
      response.setEncoding('utf8').on('data', (text) => {
        const lines = (unread + text).split('\n');
        unread = lines.pop();
        for (const { type, object, code } of lines.map((line) => JSON.parse(line))) {
          if (type === 'ERROR') return resolve(object.code);
          if (code !== undefined) return resolve(code);
          onEvent(type, object);
        }
      });
      response.on('error', () => undefined);
      response.on('close', () => resolve(response.statusCode === 200 ? 'closed' : response.statusCode));
    });
    outgoing.end();
  });
}
