import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { projectRoot } from '#platform/project-root.ts'
import { mutants } from './mutants.ts'
import { findPlaces, type Mutant, markedFolders, plant } from './plant-mutant.ts'

// A mutant that cannot be planted would only be found by the long run of all mutants.
const places = findPlaces(projectRoot, markedFolders)

test.each(mutants)('can be planted: $name', (mutant) => {
  const path = places.get(mutant.place)
  expect(path).toBeDefined()
  const source = readFileSync(join(projectRoot, path!), 'utf8')
  expect(plant(source, mutant)).not.toBe(source)
})

test('no two mutants have one name, and every marked place has a mutant', () => {
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length)
  const used = new Set(mutants.map(({ place }) => place))
  expect([...places.keys()].filter((place) => !used.has(place))).toEqual([])
})

describe('a planted change', () => {
  const mutant = (change: Partial<Mutant>): Mutant => ({
    name: 'a',
    place: 'here',
    find: 'call(a, b)',
    replace: 'call(b)',
    ...change,
  })

  test.each([
    ['as it is written', '  // mutant: here\n  call(a, b)\n'],
    ['when it is broken into lines', '  // mutant: here\n  call(\n    a,\n    b,\n  )\n'],
    [
      'some lines below its marker',
      '  // mutant: here\n  const c = [\n    1,\n    call(a, b),\n  ]\n',
    ],
  ])('is found %s', (_name, source) => {
    expect(plant(source, mutant({}))).toContain('call(b)')
  })

  test.each([
    ['its place is not marked', 'call(a, b)\n', {}],
    ['two comments mark its place', '// mutant: here\n// mutant: here\ncall(a, b)\n', {}],
    ['its code is above the marker', 'call(a, b)\n// mutant: here\ncall(b, a)\n', {}],
    ['its code is far below', `// mutant: here\n${'x\n'.repeat(20)}call(a, b)\n`, {}],
    ['it changes nothing', '// mutant: here\ncall(a, b)\n', { replace: 'call(a, b)' }],
  ])('is an error when %s', (_name, source, change) => {
    expect(() => plant(source, mutant(change))).toThrow()
  })
})
