import { createHash, createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto';

export type Signer = (claims: object) => string;

interface Algorithm {
  readonly name: string;
  readonly digest: string;
}

const curves: Readonly<Record<string, Algorithm>> = {
  prime256v1: { name: 'ES256', digest: 'sha256' },
  secp384r1: { name: 'ES384', digest: 'sha384' },
  secp521r1: { name: 'ES512', digest: 'sha512' },
};

export function signerWith(pem: string): Signer {
  const key = createPrivateKey(pem);
  const { name, digest } = algorithmOf(key);
  const header = encoded({ alg: name, kid: keyId(key) });
  return (claims) => {
    const content = `${header}.${encoded(claims)}`;
    return `${content}.${sign(digest, Buffer.from(content), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
  };
}

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): Algorithm {
  if (asymmetricKeyType === 'rsa') return { name: 'RS256', digest: 'sha256' };
  const algorithm = asymmetricKeyType === 'ec' ? curves[asymmetricKeyDetails?.namedCurve ?? ''] : undefined;
  if (!algorithm)
    throw new Error(
      `tokens cannot be signed with a key of type ${asymmetricKeyType ?? 'unknown'} ${asymmetricKeyDetails?.namedCurve ?? ''}`,
    );
  return algorithm;
}

/** The digest of the key's DER form, by which servers find it. */
const keyId = (key: KeyObject): string =>
  createHash('sha256')
    .update(createPublicKey(key).export({ type: 'spki', format: 'der' }))
    .digest('base64url');
const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
