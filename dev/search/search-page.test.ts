import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from '#platform/project-root.ts'
import { withFields } from './search-page.ts'

test('docs/search.md shows the fields as they are', async () => {
  const page = await readFile(join(projectRoot, 'docs/search.md'), 'utf8')
  expect(page).toBe(withFields(page))
})
