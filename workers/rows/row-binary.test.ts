import { expect, test } from 'vitest'
import { RowBinaryWriter } from './row-binary.ts'

function written(write: (row: RowBinaryWriter) => void, bytesInitial = 8): string {
  const row = new RowBinaryWriter(bytesInitial)
  write(row)
  return Buffer.from(row.finish()).toString('hex')
}

// biome-ignore format: the columns are the point
test.each([
  ['uint16 is little endian',             (row: RowBinaryWriter) => row.uint16(0x0102), '0201'],
  ['uint32 is little endian',             (row: RowBinaryWriter) => row.uint32(0x01020304), '04030201'],
  ['uint64 keeps 53 bits',                (row: RowBinaryWriter) => row.uint64(Number.MAX_SAFE_INTEGER), 'ffffffffffff1f00'],
  ['an empty string is one byte',         (row: RowBinaryWriter) => row.json(''), '00'],
  ['a string is its bytes, not its units', (row: RowBinaryWriter) => row.json('é€😀'), '09c3a9e282acf09f9880'],
  ['lengths are LEB128',                  (row: RowBinaryWriter) => row.varUint(300), 'ac02'],
  ['a UUID is two reversed halves',       (row: RowBinaryWriter) => row.uuid('000102030405060708090a0b0c0d0e0f'), '07060504030201000f0e0d0c0b0a0908'],
] as const)('%s', (_name, write, want) => {
  expect(written(write)).toBe(want)
})

test.each([126, 127, 128, 129, 16_383, 16_384])(
  'a string of %i bytes has the right length',
  (length) => {
    const hex = written((row) => row.json('a'.repeat(length)))
    const lengthBytes = hex.length / 2 - length
    const bytes = Buffer.from(hex, 'hex').subarray(0, lengthBytes)
    const value = bytes.reduce((sum, byte, index) => sum + (byte & 0x7f) * 2 ** (7 * index), 0)
    expect(value).toBe(length)
  },
)

test('a short string of many bytes is not cut at the one-byte length', () => {
  const text = '€'.repeat(100)
  expect(written((row) => row.json(text))).toBe(`ac02${Buffer.from(text).toString('hex')}`)
})

test('a row that failed halfway can be truncated', () => {
  const row = new RowBinaryWriter(4)
  row.json('kept')
  const mark = row.byteLength
  row.json('half a row that goes')
  row.truncate(mark)
  expect(Buffer.from(row.finish()).toString('latin1')).toBe('\x04kept')
})
