import { describe, expect, test } from 'vitest'
import { compareReleases, parseRelease } from './compare-releases.ts'
import { newestRelease } from './newest-release.ts'

// biome-ignore format: the columns are the point
test.each([
  ['SemVer 2 §11', ['1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-alpha.beta', '1.0.0-beta', '1.0.0-beta.2', '1.0.0-beta.11', '1.0.0-rc.1', '1.0.0']],
  ['numbers and not texts', ['1.2.9', '1.2.10', '1.10.0', '2.0.0', '10.0.0']],
  ['a leading v', ['v1.9.0', '1.10.0', 'V1.11.0', 'v2']],
  ['four parts', ['1.2.3.4', '1.2.3.10', '1.2.4']],
  ['packages of SDKs', ['com.example.app@1.2.3+10', 'com.example.app@1.2.3+11', 'com.example.app@1.2.4+2']],
  ['scoped packages', ['@scope--app@1.0.0-rc.1', '@scope--app@1.0.0']],
  ['a build above none', ['app@1.0.0', 'app@1.0.0+1']],
  ['builds with dots', ['app@1.0.0+1.9', 'app@1.0.0+1.10']],
  ['calendar versions', ['2025.12.31', '2026.1.4', '2026.11.3', '2026.11.3.1', '2026.11.12', '2026.40.1']],
  ['all forms of dates', ['2026-10-31', '20261103', '2026.11.4', '2026_11_05', '2026-11-06']],
  ['releases of one day', ['2026-11-03', '2026-11-03.1', '2026.11.3-2', '20261103.10']],
  ['times', ['20261103', '202611031529', '20261103153000', '20261104']],
  ['pre-releases of dates', ['2026.11.3-rc.1', '2026.11.3']],
  ['build numbers', ['99', '100', '1000', '00002000', '123456789012']],
  ['Python', ['1.0.dev3', '1.0rc1', '1.0rc2', '1.0rc10', '1.0']],
  ['Java', ['1.0.0-SNAPSHOT', '1.0.0.Final', '1.0.1.RELEASE']],
  ['huge numbers', ['1.0.99999999999999999998', '1.0.99999999999999999999', '1.0.100000000000000000000']],
])('orders %s', (_name, ascending) => {
  for (const [low, a] of ascending.entries()) {
    for (const [high, b] of ascending.entries()) {
      expect([a, b, compareReleases(a, b)]).toEqual([a, b, Math.sign(low - high)])
    }
  }
})

// biome-ignore format: the columns are the point
test.each([
  ['1.2', '1.2.0', 'missing parts are zero'],
  ['v1.2.3', '1.2.3', 'the prefix means nothing'],
  ['2026.11.3', '20261103', 'one date'],
  ['2026-11-03', '2026.11.03', 'one date'],
  ['app@1.0.0+abc', 'app@1.0.0+def', 'builds that are no numbers do not decide'],
  ['1.0-rc1', '1.0-rc1', 'equal text'],
  ['1.0.0-rc.1', '1.0.0rc1', 'a pre-release without a dash'],
  ['007', '7', 'leading zeros'],
])('%s and %s are equal: %s', (a, b) => {
  expect([compareReleases(a, b), compareReleases(b, a)]).toEqual([0, 0])
})

// biome-ignore format: the columns are the point
test.each([
  ['web@1.0.0', 'api@1.0.1', 'other packages'],
  ['1.0.0', 'api@1.0.1', 'no package and a package'],
  ['0123456789abcdef0123456789abcdef01234567', 'ffff456789abcdef0123456789abcdef01234567', 'revisions'],
  ['app@3f2c1d0', 'app@4f2c1d0', 'short revisions'],
  ['12345678901234567890123456789012', '12345678901234567890123456789013', 'hashes of digits only'],
  ['1.0.0', '2026.11.3', 'semantic and calendar versions'],
  ['1.0.0', '1234', 'versions and build numbers'],
  ['main', 'master', 'words'],
  ['production-7', 'production-8', 'words with numbers'],
  ['', '1.0.0', 'nothing'],
])('%s and %s do not compare: %s', (a, b) => {
  expect([compareReleases(a, b), compareReleases(b, a)]).toEqual([undefined, undefined])
})

test('tells package, version and build', () => {
  expect(parseRelease(' com.example@1.2.3-rc.1+45 ')).toEqual({
    package: 'com.example',
    kind: 'semver',
    parts: ['1', '2', '3'],
    preRelease: ['rc', '1'],
    build: '45',
    version: '1.2.3-rc.1+45',
  })
  expect(parseRelease('my-app@3f2c1d0').kind).toBe('other')
})

describe('The newest release', () => {
  const seen = (version: string, firstSeenMs: number) => ({ version, firstSeenMs })

  test('is the highest, even if an older one was seen first later', () => {
    const releases = [seen('app@2.0.0', 1), seen('app@1.9.9', 5), seen('app@1.0.0', 0)]
    expect(newestRelease(releases)?.version).toBe('app@2.0.0')
  })

  test('is the latest one when releases do not compare', () => {
    const releases = [seen('b'.repeat(40), 3), seen('a'.repeat(40), 5), seen('1.0.0', 1)]
    expect(newestRelease(releases)?.version).toBe('a'.repeat(40))
    expect(newestRelease([])).toBeUndefined()
  })
})
