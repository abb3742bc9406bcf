import { expect, test } from 'vitest'
import { readPlatform } from './normalize-names.ts'
import { readReleaseNames } from './normalize-release.ts'
import { Notes } from './values/notes.ts'
import { readLevel } from './values/read-level.ts'

// biome-ignore format: the columns are the point
test.each([
  ['a version with build        ', 'app@1.0.0+build', 'app@1.0.0+build'],
  ['blanks around it are trimmed', ' 1.0 \n', '1.0'],
  ['a number                    ', 1.5, '1.5'],
  ['empty                       ', '', ''],
  ['null                        ', null, ''],
  ['a slash                     ', 'feature/x', ''],
  ['a backslash                 ', 'a\\b', ''],
  ['a line break inside         ', 'a\nb', ''],
  ['a tab inside                ', 'a\tb', ''],
  ['a dot                       ', '.', ''],
  ['two dots                    ', '..', ''],
  ['three dots are a name       ', '...', '...'],
  ['latest in any case          ', 'Latest', ''],
  ['latest as a part            ', 'latest-1', 'latest-1'],
  ['250 characters              ', 'r'.repeat(250), 'r'.repeat(250)],
  ['251 characters              ', 'r'.repeat(251), ''],
  ['an object                   ', {}, ''],
] as const)('release: %s', (_name, release, want) => {
  const read = readReleaseNames({ release, dist: undefined, environment: undefined }, new Notes())
  expect(read.release).toBe(want)
})

// biome-ignore format: the columns are the point
test.each([
  ['none in any case   ', 'None', ''],
  ['none as a part     ', 'none-1', 'none-1'],
  ['a slash            ', 'a/b', ''],
  ['64 characters      ', 'e'.repeat(64), 'e'.repeat(64)],
  ['65 characters      ', 'e'.repeat(65), ''],
  ['blanks inside      ', 'pre prod', 'pre prod'],
] as const)('environment: %s', (_name, environment, want) => {
  const read = readReleaseNames({ release: undefined, dist: undefined, environment }, new Notes())
  expect(read.environment).toBe(want)
})

test('a dist needs a release and its own alphabet', () => {
  const dist = (release: string, value: unknown) =>
    readReleaseNames({ release, dist: value, environment: null }, new Notes()).dist
  expect(dist('r', '7.a_b-c')).toBe('7.a_b-c')
  expect(dist('r', 45)).toBe('45')
  expect(dist('', '7')).toBe('')
  expect(dist('r', 'a b')).toBe('')
})

// biome-ignore format: the columns are the point
test.each([
  ['fatal', 'fatal'], ['Critical', 'fatal'], ['err', 'error'], ['WARN', 'warning'], ['log', 'info'],
  ['debug', 'debug'], [50, 'fatal'], ['40', 'error'], [30, 'warning'], ['20', 'info'], [10, 'debug'],
  ['sample', undefined], [35, undefined], [null, undefined], ['', undefined],
] as const)('level %j is %s', (sent, want) => {
  expect(readLevel(sent)).toBe(want)
})

test('a platform is one of the protocol, in any case', () => {
  expect(readPlatform(' Python')).toBe('python')
  expect(readPlatform('toaster')).toBeUndefined()
  expect(readPlatform(7)).toBeUndefined()
})
