import { crc32 } from 'node:zlib'
import { Parser, type ParserEvent } from '@nats-io/nats-core/internal'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MessageCutter } from './message-cutter.ts'

const seed = 20_261_129
const largeBytes = 16 * 1024

/** A payload that looks like the protocol: its length decides where it ends, and nothing else. */
function payload(bytes: number, fill: number): Buffer {
  const text = `MSG a 1 $JS.ACK.x 99999\r\nPING\r\n\0\u{1f986} ${fill} HMSG b 2 12 70000\r\n`
  return Buffer.alloc(bytes, text)
}

const size = fc.oneof(
  { arbitrary: fc.nat(300), weight: 4 },
  { arbitrary: fc.integer({ min: largeBytes - 60, max: largeBytes + 60 }), weight: 2 },
  { arbitrary: fc.integer({ min: largeBytes, max: 200_000 }), weight: 2 },
)
const deliveries = [' $JS.ACK.stream.consumer.1.2.3.4.5', ' $JS.ACK.hub.account.stream.consumer.1']
const reply = fc.constantFrom('', ' _INBOX.a', ' _INBOX.$JS.ACK.a', ' x$JS.ACK.a', ...deliveries)
const part = fc.oneof(
  fc.record({ kind: fc.constant('message' as const), bytes: size, reply }),
  fc.record({ kind: fc.constant('headers' as const), bytes: size, reply }),
  fc.record({
    kind: fc.constant('line' as const),
    text: fc.constantFrom(
      'PING\r\n',
      'PONG\r\n',
      '+OK\r\n',
      "-ERR 'Slow Consumer'\r\n",
      `INFO {"server_id":"${'x'.repeat(20_000)}"}\r\n`,
    ),
  }),
)
type Part = typeof part extends fc.Arbitrary<infer P> ? P : never

function encode(one: Part, at: number): Buffer {
  if (one.kind === 'line') return Buffer.from(one.text)
  const { reply } = one
  const end = '\r\n'
  if (one.kind === 'message') {
    const line = `MSG ingest.${at}  7${reply} ${one.bytes}\r\n`
    return Buffer.concat([Buffer.from(line), payload(one.bytes, at), Buffer.from(end)])
  }
  const headers = Buffer.from('NATS/1.0\r\nA: b\r\n\r\n')
  const line = `hmsg ingest.${at} 7${reply}\t${headers.length} ${headers.length + one.bytes}\r\n`
  return Buffer.concat([Buffer.from(line), headers, payload(one.bytes, at), Buffer.from(end)])
}

interface Cut {
  readonly emitted: Buffer[]
  readonly taken: Buffer[]
}

/** Reads the bytes in portions of these sizes, in turn. */
function cut(bytes: Buffer, portions: readonly number[]): Cut {
  const result: Cut = { emitted: [], taken: [] }
  const cutter = new MessageCutter({
    take: (byteLength) => {
      const memory = Buffer.from(new SharedArrayBuffer(byteLength + 5), 0, byteLength)
      result.taken.push(memory)
      return memory
    },
    emit: (each) => result.emitted.push(each),
  })
  const { buffer: readBuffer } = cutter.nextPlace()
  const isReadBuffer = ({ buffer }: Buffer) => buffer === readBuffer
  let at = 0
  for (let turn = 0; at < bytes.length; turn += 1) {
    const place = cutter.nextPlace()
    const length = Math.min(portions[turn % portions.length]!, place.length, bytes.length - at)
    bytes.copy(place, 0, at, at + length)
    cutter.wrote(length)
    // Nobody may rely on what was there.
    if (isReadBuffer(place)) place.fill(0xff, 0, length)
    at += length
  }
  return result
}

function parse(chunks: readonly Uint8Array[]): unknown[] {
  const events: unknown[] = []
  const parser = new Parser({
    push: ({ kind, msg, data }: ParserEvent) => {
      const text = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString('latin1')
      const head = msg && { ...msg, subject: text(msg.subject), reply: text(msg.reply) }
      const content = data && { length: data.length, crc: crc32(data) }
      events.push({ kind, head, content })
    },
  })
  for (const chunk of chunks) parser.parse(chunk)
  return events
}

test('however the bytes arrive, the client reads the same, and large messages lie alone', () => {
  fc.assert(
    fc.property(
      fc.array(part, { minLength: 1, maxLength: 12 }),
      // A large portion now and then, so that no run takes a hundred thousand reads.
      fc.tuple(fc.nat(63), fc.nat(500), fc.nat(20_000), fc.integer({ min: 9_000, max: 70_000 })),
      (parts, lengths) => {
        const portions = lengths.map((length) => length + 1)
        const encoded = parts.map(encode)
        const bytes = Buffer.concat(encoded)
        const { emitted, taken } = cut(bytes, portions)
        expect(Buffer.concat(emitted).equals(bytes)).toBe(true)
        expect(parse(emitted)).toEqual(parse([bytes]))
        const isLarge = (one: Part, at: number) =>
          one.kind !== 'line' && encoded[at]!.length >= largeBytes
        const large = encoded.filter((_, at) => isLarge(parts[at]!, at))
        const isAlone = (each: Buffer) => large.some((one) => one.equals(each))
        expect(emitted.filter(isAlone)).toHaveLength(large.length)
        // Only what a stream delivers: nobody gives the answers of a request back.
        const isDelivery = (one: Part) => one.kind !== 'line' && deliveries.includes(one.reply)
        const delivered = encoded.filter(
          (_, at) => isLarge(parts[at]!, at) && isDelivery(parts[at]!),
        )
        const shared = emitted.filter(({ buffer }) => buffer instanceof SharedArrayBuffer)
        expect(shared.map((each) => taken.indexOf(each))).toEqual([...taken.keys()])
        expect(shared.map((each, at) => each.equals(delivered[at]!))).toEqual(
          delivered.map(() => true),
        )
      },
    ),
    { seed, numRuns: 300 },
  )
})

test.each([
  ['no size', 'MSG a 1 \r\n'],
  ['no number', 'MSG a 1 many\r\n'],
  ['a size beyond what the client takes', 'MSG a 1 999999999999999999999\r\n'],
  ['a size of 400 zeros', `MSG a 1 ${'0'.repeat(400)}\r\n`],
  ['another command', 'SUB a 1 20000\r\n'],
  ['an empty line', '\r\n'],
  ['only a newline', '\n'],
  ['a zero byte', '\0 20000\r\n'],
])('a line with %s goes on as it is, and takes no memory', (_, line) => {
  const { emitted, taken } = cut(Buffer.from(`${line}PING\r\n`), [3])
  expect(Buffer.concat(emitted).toString()).toBe(`${line}PING\r\n`)
  expect(taken).toEqual([])
})
