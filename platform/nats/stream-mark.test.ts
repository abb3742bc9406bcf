import { expect, test } from 'vitest'
import {
  canHoldMetadata,
  describeStream,
  installationMetadata,
  installationOfStream,
} from './stream-mark.ts'

const id = '6ac21fd3-0e2b-4b0e-9a6f-1d3e5c7b9a11'
const other = '00000000-0000-4000-8000-000000000000'
const description = describeStream({ first: 0, partitions: 16, streams: 4, installationId: id })

// biome-ignore format: the columns are the point
test.each([
  ['from its metadata              ', { metadata: installationMetadata(id) }, id],
  ['from its description           ', { description }, id],
  ['from its metadata first        ', { metadata: installationMetadata(id), description: description.replace(id, other) }, id],
  ['not from foreign metadata      ', { metadata: { _nats: 'level 1' } }, undefined],
  ['not from an older description  ', { description: 'Frames of Sluice: 4 partitions in 1 streams.' }, undefined],
  ['not from half an id            ', { description: `Of installation ${id.slice(0, 20)}.` }, undefined],
  ['not without a mark             ', {}, undefined],
] as const)('the installation of a stream is read %s', (_name, config, want) => {
  expect(installationOfStream(config)).toBe(want)
})

test('the description contains the layout as in earlier versions', () => {
  expect(description).toContain('16 partitions in 4 streams')
})

// biome-ignore format: the columns are the point
test.each([
  ['2.9.10', false], ['2.9.25', false], ['2.10.0', true], ['2.15.2', true], ['3.0.0', true], ['2.10.0-RC.1', true], ['', false], ['x.y', false],
])('nats-server %s has metadata: %s', (version, want) => {
  expect(canHoldMetadata(version)).toBe(want)
})
