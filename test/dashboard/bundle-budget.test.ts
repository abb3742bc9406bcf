/**
 * The bytes that a browser loads, compressed with gzip: at most 120 KB until the first page can be
 * drawn, and at most 60 KB for each further page. Charts, menus, comboboxes and the editor are
 * chunks of their own, which are loaded with the first page that uses them.
 */
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { projectRoot } from '#platform/project-root.ts'

interface Chunk {
  readonly file: string
  readonly name?: string
  readonly isEntry?: boolean
  readonly imports?: readonly string[]
  readonly dynamicImports?: readonly string[]
  readonly css?: readonly string[]
}

const folder = join(projectRoot, 'dist/web/dashboard')
const firstLoadBytesMax = 120 * 1024
const pageBytesMax = 60 * 1024
/** Script, shared script and style sheet. */
const firstFilesMax = 3
const pageFilesMax = 12
/** Chunks that several pages load on demand, each with its own limit. */
const sharedChunks: Readonly<Record<string, number>> = {
  'code-editor': 200 * 1024,
  combobox: 12 * 1024,
  'zag-menu': 32 * 1024,
}

let chunks: Readonly<Record<string, Chunk>>

beforeAll(async () => {
  chunks = JSON.parse(await readFile(join(folder, '.vite/manifest.json'), 'utf8'))
})

test('the first load is at most 120 KB', async () => {
  const [key] = Object.entries(chunks).find(([, chunk]) => chunk.isEntry === true)!
  const bytes = await bytesOf([...filesOf(key), 'index.html', 'favicon.svg'])
  expect(bytes).toBeLessThanOrEqual(firstLoadBytesMax)
})

test('each further page is at most 60 KB', async () => {
  const [entryKey, entry] = Object.entries(chunks).find(([, chunk]) => chunk.isEntry === true)!
  const first = filesOf(entryKey)
  const pages = entry.dynamicImports ?? []
  expect(pages.length).toBeGreaterThan(0)
  const tooLarge: string[] = []
  for (const key of pages) {
    const files = [...filesOf(key)].filter((file) => !first.has(file) && !isShared(file))
    const bytes = await bytesOf(files)
    if (bytes > pageBytesMax) tooLarge.push(`${key}: ${bytes} bytes`)
  }
  expect(tooLarge).toEqual([])
})

test('what most pages share is one file, and menus are loaded when one is opened', () => {
  const [entryKey] = Object.entries(chunks).find(([, chunk]) => chunk.isEntry === true)!
  const first = filesOf(entryKey)
  expect(first.size).toBeLessThanOrEqual(firstFilesMax)
  const pages = ['errors/issues/issues-page', 'errors/issue/issue-page']
  const ofZag = [...filesOf('design/overlays/zag-menu.tsx')].filter((file) => !first.has(file))
  expect(ofZag).not.toEqual([])
  for (const page of pages) {
    const own = [...filesOf(`areas/${page}.tsx`)].filter((file) => !first.has(file))
    expect([page, own.length <= pageFilesMax]).toEqual([page, true])
    expect(own.filter((file) => ofZag.includes(file))).toEqual([])
  }
})

test.each(Object.entries(sharedChunks))('the chunk %s is at most %d bytes', async (name, max) => {
  const files = Object.values(chunks).filter((chunk) => chunk.name === name)
  expect(files).not.toEqual([])
  expect(await bytesOf(files.map(({ file }) => file))).toBeLessThanOrEqual(max)
})

/** A chunk, what it imports, and their style sheets. */
function filesOf(key: string, seen = new Set<string>()): Set<string> {
  const chunk = chunks[key]!
  if (seen.has(chunk.file)) return seen
  seen.add(chunk.file)
  for (const css of chunk.css ?? []) seen.add(css)
  for (const imported of chunk.imports ?? []) filesOf(imported, seen)
  return seen
}

function isShared(file: string): boolean {
  const name = Object.values(chunks).find((chunk) => chunk.file === file)?.name
  return name !== undefined && name in sharedChunks
}

async function bytesOf(files: Iterable<string>): Promise<number> {
  let bytes = 0
  for (const file of files) {
    const { size } = await stat(join(folder, `${file}.gz`))
    bytes += size
  }
  return bytes
}
