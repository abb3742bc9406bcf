import { expect, test } from 'vitest'
import { matchRoute } from './match-route.ts'

const patterns = [
  { name: 'envelope', paths: ['envelope'] },
  { name: 'store', paths: ['store'] },
  { name: 'cron', paths: ['cron/:slug', 'cron/:slug/:key'] },
  { name: 'logs', paths: ['otlp/v1/logs', 'integration/otlp/v1/logs'] },
]

// biome-ignore format: the columns are the point
test.each([
  ['plain                 ', '/api/42/envelope/',             ['envelope', '42']],
  ['no slash at the end   ', '/api/42/store',                 ['store', '42']],
  ['repeated slashes      ', '//api///42//envelope//',        ['envelope', '42']],
  ['a prefix              ', '/x/api/y/api/42/store/',        ['store', '42']],
  ['several segments      ', '/api/42/otlp/v1/logs',          ['logs', '42']],
  ['another way to it     ', '/p/api/42/integration/otlp/v1/logs/', ['logs', '42']],
  ['a parameter           ', '/api/42/cron/nightly/',         ['cron', '42', 'nightly']],
  ['two parameters        ', '/api/42/cron/nightly/abc/',     ['cron', '42', 'nightly', 'abc']],
  ['a parameter is decoded', '/api/42/cron/a%20b%2Fc',        ['cron', '42', 'a b/c']],
  ['what cannot be decoded', '/api/42/cron/100%/',            ['cron', '42', '100%']],
  ['a name as parameter   ', '/api/42/cron/store/',           ['cron', '42', 'store']],
  ['another end           ', '/api/42/minidump/',             undefined],
  ['something behind      ', '/api/42/envelope/x',            undefined],
  ['too much behind       ', '/api/42/cron/a/b/c',            undefined],
  ['no parameter          ', '/api/42/cron/',                 undefined],
  ['no project            ', '/api/envelope/',                undefined],
  ['no api                ', '/42/envelope/',                 undefined],
  ['the root              ', '/',                             undefined],
  ['case matters          ', '/API/42/envelope/',             undefined],
] as const)('the endpoint of a path: %s', (_name, path, want) => {
  const route = matchRoute(path, patterns)
  const got = route && [route.pattern.name, route.projectText, ...route.parameters]
  expect(got).toEqual(want)
})
