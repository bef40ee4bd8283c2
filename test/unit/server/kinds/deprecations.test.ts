import { expect } from 'chai';
import { deprecationOf } from '../../../../server/kinds/deprecations.js';
import { createCatalogue } from '../../../../server/kinds/index.js';

describe('kinds: versions that clients should leave', () => {
  const type = (group: string, version: string, resource: string, kind: string): Parameters<typeof deprecationOf>[0] => ({
    group,
    version,
    resource,
    kind,
  });
  const cidrs = type('networking.k8s.io', 'v1beta1', 'servicecidrs', 'ServiceCIDR');

  it('are reported in the words of the reference, from the release on in which they are deprecated', () => {
    expect(deprecationOf(cidrs, 33)).to.equal(null);
    expect(deprecationOf(cidrs, 34)).to.deep.equal({
      text: 'networking.k8s.io/v1beta1 ServiceCIDR is deprecated in v1.34+, unavailable in v1.37+',
      removedRelease: '1.37',
    });
    expect(deprecationOf(type('storage.k8s.io', 'v1beta1', 'volumeattributesclasses', 'VolumeAttributesClass'), 36)?.text).to.equal(
      'storage.k8s.io/v1beta1 VolumeAttributesClass is deprecated in v1.34+, unavailable in v1.37+; use storage.k8s.io/v1 VolumeAttributesClass',
    );
  });

  it('count by resource where a version has old and new ones', () => {
    expect(deprecationOf(type('resource.k8s.io', 'v1beta2', 'resourceclaims', 'ResourceClaim'), 36)?.removedRelease).to.equal('1.39');
    expect(deprecationOf(type('resource.k8s.io', 'v1beta2', 'devicetaintrules', 'DeviceTaintRule'), 36)).to.equal(null);
  });

  it('are known to the table of built-in types, in the release that it is of', () => {
    const reported = (emulatedMinor: number): string[] =>
      createCatalogue({ serves: () => true, emulatedMinor }).groups.flatMap(({ versions }) =>
        versions.flatMap(({ resources }) =>
          resources.flatMap(({ group, version, resource, behaviour: { deprecation } }) =>
            deprecation === null ? [] : [`${resource}.${version}.${group}`],
          ),
        ),
      );
    expect(reported(36)).to.include.members([
      'servicecidrs.v1beta1.networking.k8s.io',
      'endpoints.v1.',
      'resourceslices.v1beta1.resource.k8s.io',
    ]);
    expect(reported(36).filter((name) => name.includes('.v1.'))).to.have.members(['endpoints.v1.', 'componentstatuses.v1.']);
    expect(reported(33)).not.to.include('servicecidrs.v1beta1.networking.k8s.io');
  });
});
