import { expect, test } from 'vitest'
import {
  canHoldMetadata,
  describeStream,
  installationMetadata,
  installationOfStream,
} from './stream-mark.ts'

const id = '6ac21fd3-0e2b-4b0e-9a6f-1d3e5c7b9a11'
const other = '00000000-0000-4000-8000-000000000000'
const description = describeStream({ partitions: 16, streams: 4, installationId: id })

// biome-ignore format: the columns are the point
test.each([
  ['by its metadata               ', { metadata: installationMetadata(id) }, id],
  ['by its description            ', { description }, id],
  ['by its metadata first         ', { metadata: installationMetadata(id), description: description.replace(id, other) }, id],
  ['not with metadata of others   ', { metadata: { _nats: 'level 1' } }, undefined],
  ['not with a former description ', { description: 'Frames of Sluice: 4 partitions in 1 streams.' }, undefined],
  ['not with half an id           ', { description: `Of installation ${id.slice(0, 20)}.` }, undefined],
  ['not with nothing              ', {}, undefined],
] as const)('a stream is known %s', (_name, config, want) => {
  expect(installationOfStream(config)).toBe(want)
})

test('the layout stands in the description as in former versions', () => {
  expect(description).toContain('16 partitions in 4 streams')
})

// biome-ignore format: the columns are the point
test.each([
  ['2.9.10', false], ['2.9.25', false], ['2.10.0', true], ['2.15.2', true], ['3.0.0', true], ['2.10.0-RC.1', true], ['', false], ['x.y', false],
])('nats-server %s has metadata: %s', (version, want) => {
  expect(canHoldMetadata(version)).toBe(want)
})
