import { expect, test } from 'vitest'
import { matchIntakeRoute } from './match-route.ts'

// biome-ignore format: the columns are the point
test.each([
  ['plain                 ', '/api/42/envelope/',        { format: 'envelope', projectText: '42' }],
  ['no slash at the end   ', '/api/42/store',            { format: 'store', projectText: '42' }],
  ['repeated slashes      ', '//api///42//envelope//',   { format: 'envelope', projectText: '42' }],
  ['a prefix              ', '/x/api/y/api/42/store/',   { format: 'store', projectText: '42' }],
  ['another end           ', '/api/42/minidump/',        undefined],
  ['something behind      ', '/api/42/envelope/x',       undefined],
  ['no project            ', '/api/envelope/',           undefined],
  ['no api                ', '/42/envelope/',            undefined],
  ['the root              ', '/',                        undefined],
  ['case matters          ', '/API/42/envelope/',        undefined],
] as const)('a path is an intake route or not: %s', (_name, path, want) => {
  expect(matchIntakeRoute(path)).toEqual(want)
})
