import fc from 'fast-check'
import { expect, test } from 'vitest'
import { asUtf8, detectEncoding } from './text-encoding.ts'

async function read(file: Uint8Array, partBytes = 7): Promise<string | object> {
  const parts = Array.from({ length: Math.ceil(file.length / partBytes) }, (_, no) =>
    file.subarray(no * partBytes, (no + 1) * partBytes),
  )
  const detected = await detectEncoding(parts)
  if ('line' in detected) return detected
  const chunks: Uint8Array[] = []
  for await (const chunk of asUtf8(parts, detected.encoding)) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8').replace('\ufeff', '')
}

const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16()

test('any text survives UTF-8, with and without a byte order mark, and UTF-16', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: 'grapheme', maxLength: 80 }).filter((text) => !/[\0\ufeff]/.test(text)),
      fc.integer({ min: 1, max: 9 }),
      async (text, partBytes) => {
        const marked = `\ufeff${text}`
        expect(await read(Buffer.from(text, 'utf8'), partBytes)).toBe(text)
        expect(await read(Buffer.from(marked, 'utf8'), partBytes)).toBe(text)
        expect(await read(Buffer.from(marked, 'utf16le'), partBytes)).toBe(text)
        expect(await read(utf16be(marked), partBytes)).toBe(text)
      },
    ),
    { numRuns: 200 },
  )
})

test('bytes are detected as UTF-8 exactly when Node decodes them', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.uint8Array({ min: 1, maxLength: 12 }),
        fc.uint8Array({ min: 0x80, maxLength: 6 }),
        fc.constantFrom(
          [0xed, 0xa0, 0x80],
          [0xe0, 0x80, 0x80],
          [0xf4, 0x90, 0x80, 0x80],
          [0xc0, 0xaf],
        ),
      ),
      async (given) => {
        const bytes = Uint8Array.from(given)
        if (bytes[0] === 0xff && bytes[1] === 0xfe) return
        if (bytes[0] === 0xfe && bytes[1] === 0xff) return
        const detected = await detectEncoding([bytes])
        const isUtf8 = 'encoding' in detected && detected.encoding === 'utf-8'
        expect(isUtf8).toBe(Buffer.compare(Buffer.from(Buffer.from(bytes).toString()), bytes) === 0)
      },
    ),
    { numRuns: 2_000 },
  )
})

test('Latin-1 and Windows-1252 are converted', async () => {
  expect(await read(Buffer.from('name\nJürgen Ÿ\n'.replace('Ÿ', ''), 'latin1'))).toBe(
    'name\nJürgen \n',
  )
  expect(await read(Buffer.from([0x80, 0x20, 0x93, 0x61, 0x94]))).toBe('€ “a”')
})

// biome-ignore format: the columns are the point
test.each([
  ['UTF-8 and Latin-1 in one file', Buffer.concat([Buffer.from('a\nZoë\n'), Buffer.from('J\xfcrgen', 'latin1')]), 3, 'UTF-8'],
  ['a cut sequence at the end', Buffer.concat([Buffer.from('Zoë\n'), Buffer.from([0xe2, 0x82])]), 2, 'UTF-8'],
  ['a byte that no encoding has', Buffer.from([0x61, 0x0a, 0x81, 0x61]), 2, 'Windows-1252'],
  ['NUL', Buffer.from('a\nb\0c'), 2, 'NUL'],
  ['UTF-16 without a mark', Buffer.from('a\nb', 'utf16le'), 1, 'NUL'],
])('%s is refused with the line', async (_name, bytes, line, word) => {
  expect(await read(bytes)).toEqual({ line, rule: expect.stringContaining(word) })
})

test('an unpaired surrogate in UTF-16 becomes a replacement character, which refuses the row', async () => {
  expect(await read(Buffer.from('\ufeffa\ud800b', 'utf16le'))).toBe('a\ufffdb')
})
