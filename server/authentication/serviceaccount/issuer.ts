import { SignJWT } from 'jose';
import type { JsonObject } from '../../../api/object.js';
import type { SigningKey } from './keys.js';

export interface TokenIssuer {
  readonly issuer: string;
  sign(payload: JsonObject): Promise<string>;
}

export const createIssuer = (issuer: string, { privateKey, algorithm, id }: SigningKey): TokenIssuer => ({
  issuer,
  sign: (payload) => new SignJWT(payload).setProtectedHeader({ alg: algorithm, kid: id }).sign(privateKey),
});
