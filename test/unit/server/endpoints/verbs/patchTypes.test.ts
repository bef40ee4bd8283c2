import { expect } from 'chai';
import { StatusError } from '../../../../../api/status.js';
import { patcherFor } from '../../../../../server/endpoints/verbs/patch.js';

const builtIn = { group: 'apps', version: 'v1', kind: 'Deployment' };
const custom = { group: 'example.com', version: 'v1', kind: 'Gadget' };
const applied = ['application/apply-patch+yaml'];

const refusal = (mediaType: string, resource: typeof custom): readonly unknown[] | null => {
  try {
    patcherFor(mediaType, resource, applied);
    return null;
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return [error.code, error.reason, error.message];
  }
};

describe('types of patches', () => {
  for (const mediaType of ['application/json-patch+json', 'application/merge-patch+json']) {
    it(`take ${mediaType} for all kinds`, () => {
      expect([refusal(mediaType, builtIn), refusal(mediaType, custom)]).to.deep.equal([null, null]);
    });
  }

  it('take a strategic merge for kinds that are built in, and for no others: there the refusal says what is taken', () => {
    const mediaType = 'application/strategic-merge-patch+json';
    expect(refusal(mediaType, builtIn)).to.equal(null);
    for (const unknown of [mediaType, 'application/json', 'text/plain', '']) {
      expect(refusal(unknown, custom)).to.deep.equal([
        415,
        'UnsupportedMediaType',
        'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
      ]);
    }
  });

  for (const mediaType of ['application/json', 'text/plain', '', 'constructor', '__proto__']) {
    it(`refuse ${JSON.stringify(mediaType)} for kinds that are built in`, () => {
      expect(refusal(mediaType, builtIn)).to.deep.equal([415, 'UnsupportedMediaType', '415: Unsupported Media Type']);
    });
  }
});
