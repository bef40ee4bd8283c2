import { expect } from 'chai';
import type { ApiObject, JsonObject } from '../../../../../../api/object.js';
import { causes, createSample, refusal, type Sample } from '../../../registry/sample.js';
import { container, pod } from '../podSample.js';

const of = (more: JsonObject): JsonObject => pod({ containers: [container(more)] });

describe('kinds, pods', () => {
  let sample: Sample;
  beforeEach(async () => {
    sample = await createSample();
  });

  const change = (apply: (spec: JsonObject, object: ApiObject) => void, subresource = ''): Promise<ApiObject> =>
    sample.update(
      pod(),
      (current) => {
        apply(current['spec'] as JsonObject, current);
      },
      subresource,
    );
  const first = (spec: JsonObject): JsonObject => (spec['containers'] as JsonObject[])[0] ?? {};

  it('fills in what is left open', async () => {
    const created = (
      await sample.create(
        of({ ports: [{ containerPort: 1 }], livenessProbe: { httpGet: { port: 1 } }, resources: { limits: { cpu: '1' } } }),
      )
    )['spec'] as JsonObject;
    expect(created).to.deep.include({
      restartPolicy: 'Always',
      dnsPolicy: 'ClusterFirst',
      schedulerName: 'default-scheduler',
      terminationGracePeriodSeconds: 30,
      securityContext: {},
      enableServiceLinks: true,
    });
    expect(first(created)).to.deep.include({
      imagePullPolicy: 'Always',
      terminationMessagePath: '/dev/termination-log',
      terminationMessagePolicy: 'File',
      ports: [{ containerPort: 1, protocol: 'TCP' }],
      resources: { limits: { cpu: '1' }, requests: { cpu: '1' } },
      livenessProbe: {
        httpGet: { port: 1, path: '/', scheme: 'HTTP' },
        timeoutSeconds: 1,
        periodSeconds: 10,
        successThreshold: 1,
        failureThreshold: 3,
      },
    });
  });

  it('ends a pod within a second that is given less than no time, whenever it is written so', async () => {
    const impatient = { ...pod(), spec: { ...(pod()['spec'] as JsonObject), terminationGracePeriodSeconds: -1 } };
    expect((await sample.create(impatient))['spec']).to.have.property('terminationGracePeriodSeconds', 1);
    const again = await change((spec) => {
      spec['terminationGracePeriodSeconds'] = -1;
    });
    expect(again['spec']).to.have.property('terminationGracePeriodSeconds', 1);
  });

  it('keeps what a client says is promised', async () => {
    const made = await sample.create({ ...of({}), status: { qosClass: 'Guaranteed', phase: 'Running' } });
    expect(made['status']).to.deep.equal({ phase: 'Pending', qosClass: 'Guaranteed' });
  });

  it('works out how much is promised', async () => {
    const classes: readonly (readonly [resources: JsonObject, expected: string])[] = [
      [{}, 'BestEffort'],
      [{ requests: { cpu: '1' } }, 'Burstable'],
      [{ limits: { cpu: '1', memory: '1Gi' } }, 'Guaranteed'],
    ];
    for (const [index, [wanted, expected]] of classes.entries()) {
      const made = await sample.create({ ...of({ resources: wanted }), metadata: { name: `p${index}` } });
      expect((made['status'] as JsonObject)['qosClass']).to.equal(expected);
    }
  });

  it('lets images and tolerations change, and little else', async () => {
    await sample.create(pod({ tolerations: [{ key: 'k', operator: 'Exists' }], activeDeadlineSeconds: 10 }));
    expect(
      first(
        (
          await change((spec) => {
            first(spec)['image'] = 'other';
          })
        )['spec'] as JsonObject,
      )['image'],
    ).to.equal('other');
    expect(
      await causes(
        change((spec) => {
          spec['tolerations'] = [...(spec['tolerations'] as JsonObject[]), { key: 'l', operator: 'Exists' }];
        }),
      ),
    ).to.deep.equal([]);
    expect(
      await causes(
        change((spec) => {
          spec['tolerations'] = [];
        }),
      ),
    ).to.deep.equal(['forbidden spec.tolerations']);
    expect(
      await causes(
        change((spec) => {
          spec['activeDeadlineSeconds'] = 20;
        }),
      ),
    ).to.deep.equal(['invalid spec.activeDeadlineSeconds']);
    expect(
      await causes(
        change((spec) => {
          spec['hostname'] = 'h';
        }),
      ),
    ).to.deep.equal(['forbidden spec']);
  });

  it('adds containers to look around, and keeps them', async () => {
    await sample.create(pod());
    const added = await change((spec) => {
      spec['ephemeralContainers'] = [container({}, 'debug')];
    }, 'ephemeralcontainers');
    expect((added['spec'] as JsonObject)['ephemeralContainers']).to.have.length(1);
    expect(
      await causes(
        change((spec) => {
          spec['ephemeralContainers'] = [];
        }, 'ephemeralcontainers'),
      ),
    ).to.deep.equal(['forbidden spec.ephemeralContainers']);
  });

  it('resizes containers, within the same promise', async () => {
    await sample.create(of({ resources: { requests: { cpu: '1' }, limits: { cpu: '2' } } }));
    const resized = await change((spec) => {
      first(spec)['resources'] = { requests: { cpu: '1500m' }, limits: { cpu: '2' } };
    }, 'resize');
    expect(first(resized['spec'] as JsonObject)['resources']).to.deep.equal({ requests: { cpu: '1500m' }, limits: { cpu: '2' } });
    expect(
      await causes(
        change((spec) => {
          first(spec)['resources'] = {};
        }, 'resize'),
      ),
    ).to.not.deep.equal([]);
  });

  it('resizes nothing but cpu and memory of containers', async () => {
    const resources = { requests: { cpu: '1' } };
    const rows: readonly (readonly [JsonObject, (spec: JsonObject) => void, readonly string[]])[] = [
      [
        of({ resources }),
        (spec) => {
          first(spec)['resizePolicy'] = [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }];
        },
        ['forbidden spec'],
      ],
      [
        of({ resources }),
        (spec) => {
          first(spec)['resources'] = { requests: { cpu: '1', 'ephemeral-storage': '1' } };
        },
        ['forbidden spec'],
      ],
      [
        pod({ containers: [container({ resources }), container({ name: 'd' })] }),
        (spec) => {
          (spec['containers'] as JsonObject[])[1]!['resources'] = { requests: { 'ephemeral-storage': '2Gi' } };
        },
        ['forbidden spec'],
      ],
      [
        pod({ containers: [container({ resources }), container({ name: 'd' })] }),
        (spec) => {
          (spec['containers'] as JsonObject[])[1]!['resources'] = { requests: { cpu: '1' }, limits: { memory: '1Gi' } };
        },
        [],
      ],
      [
        pod({ resources, containers: [container()] }),
        (spec) => {
          delete spec['resources'];
        },
        ['invalid spec', 'forbidden spec.resources.requests'],
      ],
      [
        pod({
          resources: { requests: { cpu: '1', 'hugepages-2Mi': '2Mi' }, limits: { 'hugepages-2Mi': '2Mi' } },
          containers: [container()],
        }),
        (spec) => {
          spec['resources'] = { requests: { cpu: '1', 'hugepages-2Mi': '4Mi' }, limits: { 'hugepages-2Mi': '4Mi' } };
        },
        ['forbidden spec'],
      ],
      [
        pod({ resources, containers: [container({ resources: { requests: { cpu: '500m' } } })] }),
        (spec) => {
          spec['resources'] = { requests: { cpu: '2' } };
          first(spec)['resources'] = { requests: { cpu: '1' } };
        },
        [],
      ],
      [
        pod({ resources, containers: [container({ resources: { requests: { cpu: '500m' } } })] }),
        (spec) => {
          first(spec)['resources'] = { requests: { cpu: '2' } };
        },
        ['invalid spec.resources.requests[cpu]'],
      ],
    ];
    for (const [object, edit, expected] of rows) {
      await sample.create(object);
      expect(await causes(change(edit, 'resize'))).to.deep.equal(expected);
      await sample.remove('Pod', 'p');
    }
  });

  it('checks what a node reports of users and devices', async () => {
    await sample.create(of({ resources: { requests: { cpu: '1' } } }));
    const at = (list: string, status: JsonObject): Promise<string[]> =>
      causes(
        change((_, current) => {
          current['status'] = { ...(current['status'] as JsonObject), [list]: [{ name: 'c', image: 'i', imageID: '', ...status }] };
        }, 'status'),
      );
    const device = (name: string, ...resources: readonly JsonObject[]): JsonObject => ({
      allocatedResourcesStatus: [{ name, resources: [...resources] }],
    });
    const S = 'status.containerStatuses[0]';
    expect(await at('containerStatuses', { user: { linux: { uid: -1, gid: 0, supplementalGroups: [0, -1] } } })).to.deep.equal([
      `invalid ${S}.linux.uid`,
      `invalid ${S}.linux.supplementalGroups[1]`,
    ]);
    expect(await at('containerStatuses', device('cpu', { resourceID: 'a', health: 'Healthy' }))).to.deep.equal([]);
    expect(await at('containerStatuses', device('claim:a/b', { resourceID: 'a', health: 'Well' }, { resourceID: 'a' }))).to.deep.equal([
      `invalid ${S}.allocatedResourcesStatus[0].name`,
      `unsupported ${S}.allocatedResourcesStatus[0].resources[0].health`,
      `unsupported ${S}.allocatedResourcesStatus[0].resources[1].health`,
      `duplicate ${S}.allocatedResourcesStatus[0].resources[1].resourceID`,
    ]);
    expect(await at('ephemeralContainerStatuses', device('cpu'))).to.deep.equal([
      'forbidden status.ephemeralContainerStatuses[0].allocatedResourcesStatus',
    ]);
  });

  it('dates the condition of a pod that gates keep from being scheduled', async () => {
    const made = (await sample.create(pod({ schedulingGates: [{ name: 'a.example/g' }] }))) as ApiObject;
    const [condition] = (made['status'] as JsonObject)['conditions'] as readonly JsonObject[];
    expect(condition).to.include({ reason: 'SchedulingGated', lastProbeTime: null, lastTransitionTime: made.metadata.creationTimestamp });
  });

  const stating = (status: JsonObject): Promise<string[]> =>
    causes(
      change((_, current) => {
        current['status'] = { ...(current['status'] as JsonObject), ...status };
      }, 'status'),
    );

  it('names the member of a claim status that is wrong', async () => {
    await sample.create(pod({ resourceClaims: [{ name: 'c', resourceClaimName: 'x' }] }));
    expect(await stating({ resourceClaimStatuses: [{ name: 'c', resourceClaimName: 'Bad!' }] })).to.deep.equal([
      'invalid status.resourceClaimStatuses[0].resourceClaimName',
    ]);
  });

  it('checks the claim of extended resources against the containers', async () => {
    await sample.create(of({ resources: { requests: { 'a.example/x': '1' }, limits: { 'a.example/x': '1' } } }));
    const claim = (resourceClaimName: string, ...requestMappings: readonly JsonObject[]): JsonObject => ({
      extendedResourceClaimStatus: { resourceClaimName, requestMappings: [...requestMappings] },
    });
    const mapping = { containerName: 'c', resourceName: 'a.example/x', requestName: 'r' };
    const at = 'status.extendedResourceClaimStatus';
    expect(await stating(claim('a', mapping))).to.deep.equal([]);
    expect(await stating(claim(''))).to.deep.equal([`required ${at}.requestMappings`, `required ${at}.resourceClaimName`]);
    expect(
      await stating(
        claim('A_', mapping, mapping, { ...mapping, resourceName: 'y' }, { ...mapping, containerName: 'd', requestName: 'A_' }),
      ),
    ).to.deep.equal([
      `duplicate ${at}.requestMappings[1].containerName`,
      `duplicate ${at}.requestMappings[1].resourceName`,
      `duplicate ${at}.requestMappings[1].requestName`,
      `invalid ${at}.requestMappings[2].resourceName`,
      `invalid ${at}.requestMappings[3].containerName`,
      `invalid ${at}.requestName`,
      `invalid ${at}.resourceClaimName`,
    ]);
  });

  it('checks generations and addresses in statuses', async () => {
    await sample.create(pod());
    expect(await stating({ observedGeneration: -1, conditions: [{ type: 'x y', status: 'True', observedGeneration: -1 }] })).to.deep.equal([
      'invalid status.conditions[0].observedGeneration',
      'invalid status.conditions[0].Type',
      'invalid status.observedGeneration',
    ]);
    const addresses = (...ips: readonly string[]): Promise<string[]> => stating({ podIP: ips[0] ?? '', podIPs: ips.map((ip) => ({ ip })) });
    expect(await addresses('1.1.1.1', '::1')).to.deep.equal([]);
    expect(await addresses('1.1.1.1', '1.1.1.1')).to.deep.equal(['invalid status.podIPs']);
    expect(await addresses('1.1.1.1', 'x')).to.deep.equal(['invalid status.podIPs[1]', 'internal status.podIPs', 'invalid status.podIPs']);
  });

  it('keeps members of features that are off out of statuses', async () => {
    await sample.create(pod());
    const written = await change((_, current) => {
      current['status'] = {
        ...(current['status'] as JsonObject),
        nodeAllocatableResourceClaimStatuses: [{ resourceClaimName: 'x' }],
        containerStatuses: [{ name: 'c', image: 'i', imageID: '', volumeMounts: [{ name: 'v', mountPath: '/v', volumeStatus: {} }] }],
      };
    }, 'status');
    const status = written['status'] as JsonObject;
    expect(status).to.not.have.property('nodeAllocatableResourceClaimStatuses');
    const [container] = status['containerStatuses'] as readonly JsonObject[];
    expect(container?.['volumeMounts']).to.deep.equal([{ name: 'v', mountPath: '/v' }]);
  });

  it('keeps the specification out of a write of the status', async () => {
    await sample.create(pod());
    const written = await change((spec, current) => {
      first(spec)['image'] = 'other';
      current['status'] = { ...(current['status'] as JsonObject), phase: 'Running' };
    }, 'status');
    expect([first(written['spec'] as JsonObject)['image'], (written['status'] as JsonObject)['phase']]).to.deep.equal(['i', 'Running']);
  });

  it('limits a pod with amounts of its own to the huge pages of its containers', async () => {
    const limits = { cpu: '1', 'hugepages-2Mi': '4Mi' };
    const made = await sample.create(pod({ containers: [container({ resources: { limits } })], resources: { requests: { cpu: '2' } } }));
    expect((made['spec'] as JsonObject)['resources']).to.deep.equal({
      limits: { 'hugepages-2Mi': '4Mi' },
      requests: { cpu: '2', 'hugepages-2Mi': '4Mi' },
    });
  });

  it('warns of files in the way of each other, and of sources that are not there', async () => {
    const items = (...paths: string[]): JsonObject[] => paths.map((path) => ({ key: 'k', path }));
    await sample.create(
      pod({
        volumes: [
          { name: 'a', configMap: { name: 'm', items: items('x', 'x/y') } },
          {
            name: 'b',
            projected: {
              sources: [
                { secret: { name: 's', items: items('t') } },
                { downwardAPI: { items: [{ path: 't/u', fieldRef: { fieldPath: 'metadata.name' } }] } },
                { clusterTrustBundle: { name: 'c', path: 'p' } },
              ],
            },
          },
        ],
      }),
    );
    expect(sample.warnings()).to.deep.equal([
      'volume "a" (ConfigMap "m"): overlapping paths: "x/y" with "x"',
      'volume "b" (Projected): overlapping paths: "t/u" (DownwardAPI) with "t" (Secret "s")',
      'volume "b" (Projected) has no sources provided',
    ]);
  });

  it('names an event that is there by the group of the request', async () => {
    const event = {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: 'e' },
      eventTime: '2026-01-01T00:00:00.000000Z',
      reportingController: 'example.com/c',
      reportingInstance: 'i',
      action: 'a',
      reason: 'r',
      type: 'Normal',
      regarding: { namespace: 'default' },
    };
    await sample.create(event);
    expect((await refusal(sample.create(event))).message).to.equal('events.events.k8s.io "e" already exists');
  });

  it('warns of profiles in annotations, of refused pods too', async () => {
    const annotations = { 'container.apparmor.security.beta.kubernetes.io/c': 'unconfined' };
    const text = `metadata.annotations[container.apparmor.security.beta.kubernetes.io/c]: deprecated since v1.30; use the "appArmorProfile" field instead`;
    await sample.create(pod({ dnsPolicy: 'X' }, { annotations })).catch(() => undefined);
    expect(sample.warnings()).to.deep.equal([text]);
    await sample.create(pod({ securityContext: { appArmorProfile: { type: 'Unconfined' } } }, { annotations }));
    expect(sample.warnings()).to.deep.equal([]);
  });

  it('adds up whatever containers request, where the pod names it', async () => {
    const wants = (amount: string): JsonObject => ({ requests: { 'example.com/x': amount }, limits: { 'example.com/x': amount } });
    const found = await causes(
      sample.create(pod({ containers: [container({ resources: wants('2') })], resources: { requests: { 'example.com/x': '1' } } })),
    );
    expect(found).to.include('invalid spec.resources.requests[example.com/x]');
  });

  it('warns of addresses that have another usual form', async () => {
    await sample.create(pod({ hostAliases: [{ ip: '2001:DB8::1', hostnames: ['h'] }], dnsConfig: { nameservers: ['2001:db8::1'] } }));
    expect(sample.warnings()).to.deep.equal([
      'spec.hostAliases[0].ip: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")',
    ]);
  });

  it('warns of a name that several containers give to ports, but for those that run first', async () => {
    const named = (name: string, containerPort: number, more: JsonObject = {}): JsonObject =>
      container({ name, ports: [{ name: 'http', containerPort }], ...more });
    await sample.create(
      pod({
        initContainers: [named('first', 1), named('beside', 2, { restartPolicy: 'Always' })],
        containers: [named('a', 3), named('b', 4)],
      }),
    );
    const said = (place: string): string =>
      `spec.containers[${place}].ports[0]: duplicate port name "http" with spec.initContainers[1].ports[0], ` +
      'services and probes that select ports by name will use spec.initContainers[1].ports[0]';
    expect(sample.warnings()).to.deep.equal([said('0'), said('1')]);
  });

  it('warns of what works but is not meant', async () => {
    await sample.create(
      pod(
        {
          containers: [
            container({
              env: [
                { name: 'A', value: '1' },
                { name: 'A', value: '2' },
              ],
              resources: { requests: { memory: '1m' } },
            }),
          ],
          imagePullSecrets: [{ name: '' }],
        },
        { name: 'p.q' },
      ),
    );
    const warnings = sample.warnings().map((text) => text.split(':')[0]);
    expect(warnings).to.deep.equal([
      'metadata.name',
      'spec.imagePullSecrets[0].name',
      'spec.containers[0].resources.requests[memory]',
      'spec.containers[0].env[1]',
    ]);
  });
});
