import { expect, test } from 'vitest'
import { suspectReleases } from './suspect-releases.ts'

const release = (text: string, index: number) => ({
  version: text.replace('!', ''),
  first_seen: new Date(1_000 * index),
  is_heard: text.endsWith('!'),
})

// Releases in the order in which they were seen first; a mark means that it has events.
// biome-ignore format: the columns are the point
test.each([
  ['the release alone',              'a@1.1', ['a@1.0!', 'a@1.1!'],                     ['a@1.1']],
  ['those nobody ran',               'a@1.3', ['a@1.0!', 'a@1.1', 'a@1.2', 'a@1.3!'],   ['a@1.3', 'a@1.2', 'a@1.1']],
  ['by version, not by time',        'a@1.3', ['a@1.2', 'a@2.0', 'a@1.0!', 'a@1.3!', 'a@1.1'], ['a@1.3', 'a@1.2', 'a@1.1']],
  ['of its package',                 'a@1.1', ['b@1.0', 'a@1.0!', 'b@1.1', 'a@1.1!'],   ['a@1.1']],
  ['hashes by time',                 'a@abcdef3', ['a@abcdef1!', 'a@abcdef2', 'a@abcdef3!', 'a@abcdef4'], ['a@abcdef3', 'a@abcdef2']],
  ['nothing good before',            'a@1.1', ['a@1.0', 'a@1.1!'],                      ['a@1.1', 'a@1.0']],
  ['an unknown release',             'a@9',   ['a@1.0!'],                               []],
  ['at most twenty',                 'a@1.99',  [...Array.from({ length: 40 }, (_, at) => `a@1.${at}`), 'a@1.99'], undefined],
])('%s', (_name, first, releases, want) => {
  const found = suspectReleases(first, releases.map(release))
  if (want === undefined) expect(found).toHaveLength(20)
  else expect(found).toEqual(want)
})
