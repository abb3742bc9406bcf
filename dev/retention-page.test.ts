import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from '#platform/project-root.ts'
import { withTables } from './retention-page.ts'

test('docs/operations/retention.md shows the policies as they are', async () => {
  const page = await readFile(join(projectRoot, 'docs/operations/retention.md'), 'utf8')
  expect(page).toBe(withTables(page))
})
