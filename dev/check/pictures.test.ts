import { expect, test } from 'vitest'
import { pictureViolations } from './pictures.ts'

const named = (path: string, bytes = 1_000) => ({ path, bytes })

test.each([
  ['a small picture of the dashboard', [named('docs/dashboard/issue.webp', 60_000)], 0],
  ['a text', [named('docs/dashboard/README.md', 90_000)], 0],
  ['a large picture', [named('docs/dashboard/issue.webp', 60_001)], 1],
  ['another format', [named('docs/dashboard/issue.png')], 1],
  ['another folder', [named('docs/issue.webp')], 1],
  ['a folder below', [named('docs/dashboard/old/issue.webp')], 1],
  ['capital letters', [named('docs/dashboard/ISSUE.PNG')], 1],
  [
    'a seventh picture',
    Array.from({ length: 7 }, (_, index) => named(`docs/dashboard/${index}.webp`)),
    1,
  ],
])('%s', (_, files, count) => {
  expect(pictureViolations(files)).toHaveLength(count)
})
