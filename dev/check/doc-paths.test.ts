import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from '#platform/project-root.ts'
import { namedPaths } from './doc-paths.ts'

const notOurs = new Set(['node_modules', 'dist'])
const topLevel = readdirSync(projectRoot, { withFileTypes: true }).filter(
  ({ name }) => !name.startsWith('.') && !notOurs.has(name),
)
const topLevelNames = new Set(topLevel.map(({ name }) => name))
/** The changelog names files as they were called when it was written. */
const unchecked = new Set(['CHANGELOG.md'])

const documents = topLevel
  .flatMap((entry) =>
    entry.isDirectory()
      ? readdirSync(join(projectRoot, entry.name), { recursive: true, encoding: 'utf8' }).map(
          (name) => join(entry.name, name),
        )
      : [entry.name],
  )
  .filter((path) => path.endsWith('.md') && !unchecked.has(path))

test('every path that a document names exists', () => {
  const missing = documents.flatMap((document) => {
    const text = readFileSync(join(projectRoot, document), 'utf8')
    return namedPaths(document, text, (name) => topLevelNames.has(name))
      .filter(({ path }) => !existsSync(join(projectRoot, path)))
      .map(({ path, line }) => `${document}:${line} names ${path}`)
  })
  expect(documents.length).toBeGreaterThan(20)
  expect(missing).toEqual([])
})

// biome-ignore format: the columns are the point
test.each([
  ['code in backticks',             'docs/a.md', 'see `api/main.ts`',             ['api/main.ts']],
  ['a folder',                      'docs/a.md', 'see `api/cli/`',                ['api/cli']],
  ['a link beside the document',    'docs/a.md', '[b](b.md#part)',                ['docs/b.md']],
  ['a link out of its folder',      'docs/x/a.md', '[c](../../C.md)',             ['C.md']],
  ['a link whose text is code',     'docs/a.md', '[`m`](../api/main.ts)',         ['api/main.ts']],
  ['an address',                    'docs/a.md', '[d](https://example.test/x)',   []],
  ['a part of the same document',   'docs/a.md', '[e](#part)',                    []],
  ['a placeholder or a star',       'docs/a.md', '`api/<domain>/x.ts` `api/*.ts`', []],
  ['a folder of something else',    'docs/a.md', '`node_modules/pg` `text/html`', []],
  ['a route',                       'docs/a.md', '`/api/v1/send` `GET tags/x`',   []],
  ['a block of code',               'docs/a.md', '```\n`api/no.ts`\n```',         []],
] as const)('finds paths in %s', (_name, document, text, want) => {
  const found = namedPaths(document, text, (name) => name === 'api')
  expect(found.map(({ path }) => path)).toEqual(want)
})
