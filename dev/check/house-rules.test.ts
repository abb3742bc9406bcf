import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  crowdedFolders,
  driverViolations,
  importCircles,
  testLimits,
  wideLines,
} from './house-rules.ts'
import { reachableFrom, readImportGraph } from './import-graph.ts'

let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sluice-rules-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function graphOf(sources: Readonly<Record<string, string>>) {
  for (const [path, text] of Object.entries(sources)) writeFileSync(join(root, path), text)
  return readImportGraph(root, Object.keys(sources))
}

describe('imports', () => {
  test('every form of import is recognised', () => {
    const { files, packages } = graphOf({
      'a.ts': [
        `import { b } from './b.ts'`,
        `import type { C } from './c.ts'`,
        `import {\n  d,\n  type E,\n} from './d.ts'`,
        `import pg from 'pg'`,
        `import type { Pool } from '@clickhouse/client'`,
        `export { f } from './f.ts'`,
        `const g = () => import('./g.ts')`,
        `import './h.ts'`,
        `const text = "import { x } from './x.ts'"`,
      ].join('\n'),
      ...Object.fromEntries('bcdfghx'.split('').map((name) => [`${name}.ts`, ''])),
    })
    expect(files.get('a.ts')).toEqual(['b.ts', 'c.ts', 'd.ts', 'f.ts', 'g.ts', 'h.ts'])
    expect(packages.get('a.ts')).toEqual(['pg'])
  })

  test('a circle is found through type-only imports and through other files', () => {
    const graph = graphOf({
      'a.ts': `import { b } from './b.ts'`,
      'b.ts': `import { c } from './c.ts'`,
      'c.ts': `import type { A } from './a.ts'`,
      'd.ts': `import { a } from './a.ts'`,
      'e.ts': `import './f.ts'`,
      'f.ts': '',
    })
    expect(importCircles(graph)).toEqual(['import circle: a.ts, b.ts, c.ts'])
    expect([...reachableFrom(graph.files, 'd.ts')].sort()).toEqual(['a.ts', 'b.ts', 'c.ts', 'd.ts'])
  })
})

test.each([
  ['api/ideas/create-idea.ts', ['pg'], 1],
  ['api/ideas/idea-store.ts', ['pg'], 0],
  ['ingest/io/http-server.ts', ['uWebSockets.js'], 0],
  ['workers/main.ts', ['@nats-io/transport-node'], 0],
  ['workers/digest/digest-range.ts', ['@nats-io/jetstream', 'uuid'], 1],
  ['platform/postgres.ts', ['pg'], 0],
])('%s with the packages %s violates %i rules', (file, names, count) => {
  const graph = { files: new Map(), packages: new Map([[file, names]]) }
  expect(driverViolations(graph)).toHaveLength(count)
})

test('a folder may hold 25 files', () => {
  const files = (count: number) => Array.from({ length: count }, (_, index) => `api/x/${index}.ts`)
  expect(crowdedFolders(files(25))).toEqual([])
  expect(crowdedFolders(files(26))).toEqual(['api/x/ holds 26 files, more than 25'])
})

// biome-ignore format: the columns are the point
test.each([
  ['a comment              ', 'a.ts', `// ${'x '.repeat(60)}`, 1],
  ['a block comment        ', 'a.ts', `/**\n * ${'x '.repeat(60)}\n */`, 1],
  ['code                   ', 'a.ts', `const a = '${'x '.repeat(60)}'`, 0],
  ['an instruction         ', 'a.ts', `// biome-ignore ${'x '.repeat(60)}`, 0],
  ['an address             ', 'a.ts', `// https://example.com/${'x'.repeat(100)}`, 0],
  ['a paragraph            ', 'a.md', 'x '.repeat(60), 1],
  ['a table                ', 'a.md', `| ${'x '.repeat(60)} |`, 0],
  ['a block of code        ', 'a.md', `\`\`\`\n${'x '.repeat(60)}\n\`\`\``, 0],
  ['a hundred columns      ', 'a.md', 'x'.repeat(100), 0],
])('%s: %s', (_name, path, text, count) => {
  expect(wideLines(path, text)).toHaveLength(count)
})

test.each([
  ["test('a', async () => {\n  await work()\n})\n", 0],
  ["test('a', async () => {\n  await work()\n}, 60_000)\n", 1],
  ["test('a', async () => {\n  await work()\n}, limitMs)\n", 1],
  ["test(\n  'a',\n  () => {\n    work()\n  },\n  30_000,\n)\n", 1],
  ["test.each([\n  ['a'],\n])('%s', async () => {\n  await work()\n}, 60_000)\n", 1],
  ["describe('a', () => {\n  beforeAll(async () => {\n    await work()\n  }, 60_000)\n})\n", 1],
  ['afterAll(() => api?.stop(), 60_000)\n', 1],
  ['afterAll(() => rm(join(a, b), options))\n', 0],
  // One pass over a long text.
  ["test('a', async () => {\n  scan(text)\n}, 2_000)\n", 0],
  ["test('a', () => {\n  setTimeout(() => {\n    stop()\n  }, 60_000)\n})\n", 0],
])('%j has %i limits of its own', (text, count) => {
  expect(testLimits('a.test.ts', text)).toHaveLength(count)
  expect(testLimits('test/fixtures/a.ts', text)).toHaveLength(count)
  expect(testLimits('a.ts', text)).toEqual([])
})
