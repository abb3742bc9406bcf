import { expect, test } from 'vitest'
import { orderByVersion } from './order-by-version.ts'

const release = (version: string, index: number) => ({ version, first_seen: new Date(index) })

// In the order in which they were seen first.
// biome-ignore format: the columns are the point
test.each([
  ['numbers, not texts',      ['a@1.10.0', 'a@1.9.0', 'a@1.9.1'],          ['a@1.10.0', 'a@1.9.1', 'a@1.9.0']],
  ['pre-releases',            ['a@2.0.0', 'a@2.0.0-rc.10', 'a@2.0.0-rc.9'], ['a@2.0.0', 'a@2.0.0-rc.10', 'a@2.0.0-rc.9']],
  ['builds',                  ['a@1.0+9', 'a@1.0+10', 'a@1.0'],             ['a@1.0+10', 'a@1.0+9', 'a@1.0']],
  ['dates',                   ['2026-01-02', '2026-01-10', '2025-12-31'],   ['2026-01-10', '2026-01-02', '2025-12-31']],
  ['hashes by time',          ['abcdef1', 'abcdef3', 'abcdef2'],            ['abcdef2', 'abcdef3', 'abcdef1']],
  ['by package',              ['a@1', 'b@9', 'a@2', 'b@1'],                 ['b@9', 'b@1', 'a@2', 'a@1']],
  ['equal versions by time',  ['a@1.0', 'a@1.0.0'],                         ['a@1.0.0', 'a@1.0']],
  ['none',                    [],                                           []],
])('%s', (_name, versions, want) => {
  const ordered = orderByVersion(versions.map(release)).map(({ version }) => version)
  expect(ordered).toEqual(want)
  const turned = orderByVersion(versions.map(release).reverse())
  expect(turned.map(({ version }) => version)).toEqual(want)
})
