import { expect } from 'chai';
import { handlerOf } from '../../../../server/endpoints/endpoints.js';
import type { ResourceVerb } from '../../../../server/endpoints/routing.js';
import { createCatalogue } from '../../../../server/kinds/index.js';

/** Discovery lists only implemented resources. */
describe('endpoints/handlers', () => {
  const resources = createCatalogue().groups.flatMap(({ versions }) => versions.flatMap((version) => version.resources));

  it('answer every verb of every resource', () => {
    const answered = resources.flatMap((resource) =>
      [...resource.verbs].map((verb) => handlerOf({ resource, subresource: null, verb: verb as ResourceVerb })),
    );
    expect(answered.length).to.be.greaterThan(resources.length);
  });

  it('answer every verb of every subresource', () => {
    const answered = resources.flatMap((resource) =>
      [...resource.subresources.values()].flatMap((subresource) =>
        [...subresource.verbs].map((verb) => handlerOf({ resource, subresource, verb: verb as ResourceVerb })),
      ),
    );
    expect(answered.length).to.be.greaterThan(0);
  });

  it('are wanted for each verb: one that nothing answers is said by name', () => {
    const resource = resources.find((each) => each.resource === 'tokenreviews')!;
    expect(() => handlerOf({ resource, subresource: null, verb: 'deletecollection' })).to.throw(
      'nothing answers deletecollection of tokenreviews/ in authentication.k8s.io/v1',
    );
  });
});
