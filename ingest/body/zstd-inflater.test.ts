import { describe, expect, test } from 'vitest'
import { KiB, MiB } from '#schemas/limits.ts'
import { readZstdFrame } from './read-zstd-frame.ts'
import { ZstdInflater } from './zstd-inflater.ts'

/** Frame header without content size; the window is 1 KiB shifted by the exponent. */
const header = (windowExponent: number) => [0x28, 0xb5, 0x2f, 0xfd, 0, windowExponent << 3]
const single = (contentBytes: number) => [0x28, 0xb5, 0x2f, 0xfd, 0x20, contentBytes]
const types = { raw: 0, rle: 1, compressed: 2, reserved: 3 }
function block(type: keyof typeof types, size: number, bytes: number[], isLast = true): number[] {
  const head = (size << 3) | (types[type] << 1) | (isLast ? 1 : 0)
  return [head & 0xff, (head >> 8) & 0xff, head >> 16, ...bytes]
}
const raw = (text: string, isLast = true) =>
  block('raw', text.length, [...Buffer.from(text)], isLast)
const rle128 = (count: number) =>
  Array.from({ length: count }, (_, at) => block('rle', 128 * KiB, [97], at === count - 1)).flat()

/** The lines below, as the reference encoder writes them: a compressed block and a checksum. */
const encoded = [
  'KLUv/WRFLLULAFacOBtwaQotBsYMvv7nZItUVUX7kkhk74yA8fmf9URIACsALgBCCCGEEGZmZmZmVVVVVVVERERERDMz',
  'MzMz//+vqqo3hBXNAlggBgcECwgLCQqHAIcGAwIYGA4GEEjQcDA4IBw4WEBQSChwUBAkSZIkOY7jOI7jOI67u7u7u6qq',
  'qqqqoiiKoiiKonh3d3d3N8YYY4wxhhABsiyf53me53me53A4HA6Hw+FwKBQKhUKhUCgUmqZpmqZpmmZZlmVZlmVZkiRJ',
  'Bgvu/v//////////////////////////391dlmVZluWBK6gRgPr+nwGxZ5RcAxL4/38EhT9bz1pXta61Leta67q2ta5V',
  'XWtbpz+H0JRSklKKppTSlFIqpZSmlNIspTSllCYppSmlNEUpTSmlKV0SU4iaQ81QU6gRagY1QU2gBhgQAAAQAAwAAgAB',
  'gAAgACAACADan+Kn9Ck+ZU/RU3kKnnKn7K6m83Q6T6ezPYWLAH4VUBmt8w==',
].join('')
const lines = Array.from({ length: 300 }, (_, lineno) => {
  return JSON.stringify({ filename: 'src/app.js', lineno })
}).join('\n')

const inflater = new ZstdInflater()
const inflate = (bytes: number[] | Buffer, bytesMax = 1 * MiB) =>
  inflater.inflate(Uint8Array.from(bytes), bytesMax)

describe('a zstd body', () => {
  test('is one frame: of raw and repeated bytes', async () => {
    const frame = [...header(0), ...raw('ab', false), ...block('rle', 3, [99], false), ...raw('d')]
    expect(await inflate(frame)).toEqual(Buffer.from('abcccd'))
    expect(await inflate([...single(2), ...raw('ab')])).toEqual(Buffer.from('ab'))
  })

  test('may come from the reference encoder', async () => {
    const frame = Buffer.from(encoded, 'base64')
    expect(await inflate(frame)).toEqual(Buffer.from(lines))
    expect(await inflate(frame.subarray(0, -5))).toBe('corrupt')
    expect(await inflate(frame, lines.length - 1)).toBe('too_large')
  })

  test('may reach its cap but not exceed it', async () => {
    expect(await inflate([...header(10), ...rle128(8)])).toHaveLength(1 * MiB)
    expect(await inflate([...header(10), ...rle128(9)])).toBe('too_large')
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['nothing                       ', [],                                                       'corrupt'],
    ['a header alone                ', header(0),                                                'corrupt'],
    ['cut in a block                ', [...header(0), ...raw('ab')].slice(0, -1),                'corrupt'],
    ['cut before the last block     ', [...header(0), ...raw('ab', false)],                      'corrupt'],
    ['a missing checksum            ', [0x28, 0xb5, 0x2f, 0xfd, 4, 0, ...raw('ab')],             'corrupt'],
    ['a dictionary                  ', [0x28, 0xb5, 0x2f, 0xfd, 1, 0, 7, ...raw('ab')],          'corrupt'],
    ['a block of unknown type       ', [...header(0), ...block('reserved', 0, [])],              'corrupt'],
    ['a block larger than any       ', [...header(10), ...block('rle', 128 * KiB + 1, [97])],    'corrupt'],
    ['less than declared            ', [...single(3), ...raw('ab')],                             'corrupt'],
    ['symbols of a missing table    ', [...header(0), ...block('compressed', 4, [3, 3, 3, 3])],  'corrupt'],
    ['two frames                    ', [...header(0), ...raw('a'), ...header(0), ...raw('b')],   'corrupt'],
    ['a huge window in the second   ', [...header(0), ...raw('a'), ...header(20), ...raw('b')],  'corrupt'],
    ['a skippable frame first       ', [0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0, ...header(0), ...raw('a')], 'corrupt'],
    ['a huge window in the first    ', [...header(20), ...raw('a')],                             'too_large'],
    ['a huge declared size          ', [0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 0x40, ...raw('a')], 'too_large'],
    ['a bomb of repeated bytes      ', [...header(10), ...rle128(4000)],                         'too_large'],
    ['very many empty blocks        ', [...header(10), ...Array.from({ length: 100_000 }, () => [0, 0, 0]).flat(), 1, 0, 0], 'too_large'],
  ] as const)('is refused: %s', async (_name, bytes, want) => {
    expect(await inflate([...bytes])).toBe(want)
  })

  test('gets a window no larger than its output', () => {
    const small = Uint8Array.from([...header(13), ...raw('ab')])
    expect(readZstdFrame(small, 1 * MiB)).toMatchObject({ windowBytes: 128 * KiB })
    const large = Uint8Array.from([...header(13), ...rle128(4)])
    expect(readZstdFrame(large, 1 * MiB)).toMatchObject({ windowBytes: 512 * KiB })
  })
})

describe('a block that keeps the decoder busy without output', () => {
  /**
   * One literal, then 98,303 matches of the maximum length, all read from bits that do not exist.
   */
  const endless = [
    ...header(10),
    ...block('compressed', 10, [0x08, 97, 0xff, 0xff, 0xff, 0x54, 0, 0, 52, 1]),
  ]

  test('is terminated, blocks no other request, and the next body is decoded', async () => {
    const hasty = new ZstdInflater({ workMsMax: 1_000 })
    let turns = 0
    const turning = setInterval(() => {
      turns += 1
    }, 5)
    expect(await hasty.inflate(Uint8Array.from(endless), 1 * MiB)).toBe('corrupt')
    clearInterval(turning)
    expect(turns).toBeGreaterThan(3)
    expect(await hasty.inflate(Uint8Array.from([...header(0), ...raw('ab')]), 10)).toHaveLength(2)
  })
})
