import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from '#platform/project-root.ts'
import { mutants } from './mutants.ts'

// One whose place is gone would be tried in vain; the run itself takes too long to find that out
// each time.
test.each(mutants)('there is one place for: $name', ({ file, find, replace }) => {
  const text = readFileSync(join(projectRoot, file), 'utf8')
  expect(text.split(find).length - 1).toBe(1)
  expect(replace).not.toBe(find)
})

test('no two mutants have one name', () => {
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length)
})
