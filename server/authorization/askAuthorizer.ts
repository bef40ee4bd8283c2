import { parseFieldSelector } from '../../api/selectors/index.js';
import type { AskAuthorizer, AuthorizationQuestion } from '../../cel/admissionValues.js';
import type { Attributes, Authorizer, Decision } from './authorizer.js';

export const askAuthorizer =
  (authorize: Authorizer): AskAuthorizer =>
  async (question) => {
    try {
      const { decision, reason, error } = await (authorize(attributesOf(question)) as Promise<Decision> | Decision);
      return { allowed: decision === 'allow', reason, ...(error === undefined ? {} : { error }) };
    } catch (error) {
      return { allowed: false, reason: '', error: (error as Error).message };
    }
  };

function attributesOf(question: AuthorizationQuestion): Attributes {
  if (!question.isResource) return question;
  const { fieldSelector, ...attributes } = question;
  const parsed = fieldSelector === undefined ? null : parseFieldSelector(fieldSelector);
  return { ...attributes, ...(parsed?.ok === true ? { fields: parsed.selector } : {}) };
}
