import type { Answer } from './operations.js';

/** Media types of requests and answers, as documents tell them. */
const OBJECTS = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'] as const;
const STREAMS = ['application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch'] as const;

export const ANSWER_MEDIA_TYPES: Readonly<Record<Answer, readonly string[]>> = {
  object: OBJECTS, stream: [...OBJECTS, ...STREAMS], text: ['text/plain'], any: ['*/*'],
};

export const PATCH_MEDIA_TYPES = ['application/json-patch+json', 'application/merge-patch+json', 'application/strategic-merge-patch+json', 'application/apply-patch+yaml'] as const;

export const ANY_MEDIA_TYPE = '*/*';
