import fc from 'fast-check'
import { expect, test } from 'vitest'
import { boundary, formType, makeForm } from '../../test/fixtures/minidump/make-form.ts'
import { readMultipart } from './read-multipart.ts'

const form = makeForm([
  { name: 'sentry', content: '{"release":"shop@1"}' },
  { name: 'upload_file_minidump', fileName: 'a.dmp', type: 'a/b', content: `MDMP--${boundary}` },
  { name: 'log', fileName: 'b', type: 'text/plain', content: '' },
])
const runs = { seed: 20_261_128, numRuns: 1_000 }

test('a form is read whole or not at all, wherever it is cut', async () => {
  // Only the last line end may be missing.
  for (let cut = 0; cut <= form.length; cut++) {
    const read = await readMultipart(form.subarray(0, cut), formType)
    expect([cut, read?.files.length]).toEqual([cut, cut < form.length - 2 ? undefined : 2])
  }
})

const place = fc.nat(form.length - 1)
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 8 }),
  fc
    .constantFrom('\r\n', '\r\n\r\n', `\r\n--${boundary}`, '--', '\0', '"', ';', 'filename*=x')
    .map((text) => new TextEncoder().encode(text)),
)
test('changed bytes end in a form or in none, and never in more content than was sent', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(place, bytes), { maxLength: 4 }), async (changes) => {
      let sent: Buffer = form
      for (const [at, put] of changes) {
        sent = Buffer.concat([sent.subarray(0, at), put, sent.subarray(at + (put.length >> 1))])
      }
      const read = await readMultipart(sent, formType)
      const size = (read?.files ?? []).reduce((sum, { content }) => sum + content.length, 0)
      expect(size).toBeLessThanOrEqual(sent.length)
    }),
    runs,
  )
})

// biome-ignore format: the columns are the point
test.each([
  ['no boundary',               'multipart/form-data'],
  ['an empty type',             ''],
  ['another kind of multipart', `multipart/mixed; boundary=${boundary}`],
  ['NUL as the boundary',       'multipart/form-data; boundary=\0'],
  ['a boundary of kilobytes',   `multipart/form-data; boundary=${'x'.repeat(5_000)}`],
  ['a line end',                'multipart/form-data;boundary=\r\n'],
  ['the first of two',          `multipart/form-data; boundary=a; boundary=${boundary}`],
])('a content type with %s reads no form', async (_name, contentType) => {
  expect(await readMultipart(form, contentType)).toBeUndefined()
})
